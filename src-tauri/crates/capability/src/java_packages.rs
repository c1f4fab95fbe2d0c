//! The types of the packages of Java itself that files import as a whole.

use super::facts::Facts;

/// Packages with their types.
const PACKAGES: &[(&str, &str)] = &[
    (
        "java.util",
        "AbstractCollection AbstractList AbstractMap AbstractQueue AbstractSequentialList AbstractSet ArrayDeque ArrayList Arrays Base64 BitSet \
         Calendar Collection Collections Comparator Currency Date Deque Dictionary DoubleSummaryStatistics EnumMap EnumSet Enumeration \
         EventListener EventObject Formatter GregorianCalendar HashMap HashSet Hashtable HexFormat IdentityHashMap IntSummaryStatistics \
         Iterator LinkedHashMap LinkedHashSet LinkedList List ListIterator Locale LongSummaryStatistics Map NavigableMap NavigableSet \
         NoSuchElementException Objects Optional OptionalDouble OptionalInt OptionalLong PrimitiveIterator PriorityQueue Properties Queue \
         Random RandomAccess ResourceBundle Scanner SequencedCollection SequencedMap SequencedSet ServiceLoader Set SimpleTimeZone \
         SortedMap SortedSet Spliterator Spliterators SplittableRandom Stack StringJoiner StringTokenizer TimeZone Timer TimerTask TreeMap \
         TreeSet UUID Vector WeakHashMap ConcurrentModificationException EmptyStackException InputMismatchException \
         MissingResourceException",
    ),
    (
        "java.util.function",
        "BiConsumer BiFunction BiPredicate BinaryOperator BooleanSupplier Consumer DoubleBinaryOperator DoubleConsumer DoubleFunction \
         DoublePredicate DoubleSupplier DoubleUnaryOperator Function IntBinaryOperator IntConsumer IntFunction IntPredicate IntSupplier \
         IntToLongFunction IntUnaryOperator LongBinaryOperator LongConsumer LongFunction LongPredicate LongSupplier LongUnaryOperator \
         ObjIntConsumer ObjLongConsumer Predicate Supplier ToDoubleBiFunction ToDoubleFunction ToIntBiFunction ToIntFunction \
         ToLongBiFunction ToLongFunction UnaryOperator",
    ),
    (
        "java.util.stream",
        "BaseStream Collector Collectors DoubleStream Gatherer Gatherers IntStream LongStream Stream StreamSupport",
    ),
    (
        "java.util.concurrent",
        "AbstractExecutorService ArrayBlockingQueue BlockingDeque BlockingQueue Callable CancellationException CompletableFuture \
         CompletionException CompletionService CompletionStage ConcurrentHashMap ConcurrentLinkedDeque ConcurrentLinkedQueue ConcurrentMap \
         ConcurrentNavigableMap ConcurrentSkipListMap ConcurrentSkipListSet CopyOnWriteArrayList CopyOnWriteArraySet CountDownLatch \
         CyclicBarrier DelayQueue Delayed Exchanger ExecutionException Executor ExecutorCompletionService ExecutorService Executors Flow \
         ForkJoinPool ForkJoinTask Future FutureTask LinkedBlockingDeque LinkedBlockingQueue LinkedTransferQueue Phaser \
         PriorityBlockingQueue RecursiveAction RecursiveTask RejectedExecutionException RejectedExecutionHandler RunnableFuture \
         ScheduledExecutorService ScheduledFuture ScheduledThreadPoolExecutor Semaphore SubmissionPublisher SynchronousQueue ThreadFactory \
         ThreadLocalRandom ThreadPoolExecutor TimeUnit TimeoutException TransferQueue",
    ),
    (
        "java.util.concurrent.atomic",
        "AtomicBoolean AtomicInteger AtomicIntegerArray AtomicLong AtomicLongArray AtomicReference AtomicReferenceArray DoubleAdder LongAdder",
    ),
    ("java.util.regex", "MatchResult Matcher Pattern PatternSyntaxException"),
    (
        "java.time",
        "Clock DateTimeException DayOfWeek Duration Instant InstantSource LocalDate LocalDateTime LocalTime Month MonthDay OffsetDateTime \
         OffsetTime Period Year YearMonth ZoneId ZoneOffset ZonedDateTime",
    ),
    (
        "java.io",
        "BufferedInputStream BufferedOutputStream BufferedReader BufferedWriter ByteArrayInputStream ByteArrayOutputStream Closeable Console \
         DataInputStream DataOutputStream EOFException File FileInputStream FileNotFoundException FileOutputStream FileReader FileWriter \
         FilterInputStream FilterOutputStream IOException InputStream InputStreamReader ObjectInputStream ObjectOutputStream OutputStream \
         OutputStreamWriter PipedInputStream PipedOutputStream PrintStream PrintWriter PushbackInputStream RandomAccessFile Reader \
         SequenceInputStream Serializable StringReader StringWriter UncheckedIOException UnsupportedEncodingException Writer",
    ),
    (
        "java.nio.file",
        "DirectoryStream FileAlreadyExistsException FileStore FileSystem FileSystems FileVisitOption FileVisitResult FileVisitor Files \
         InvalidPathException LinkOption NoSuchFileException OpenOption Path PathMatcher Paths SimpleFileVisitor StandardCopyOption \
         StandardOpenOption WatchEvent WatchKey WatchService",
    ),
    (
        "java.net",
        "DatagramPacket DatagramSocket HttpURLConnection Inet4Address Inet6Address InetAddress InetSocketAddress MalformedURLException \
         NetworkInterface ProxySelector ServerSocket Socket SocketException SocketTimeoutException StandardSocketOptions URI URISyntaxException \
         URL URLConnection URLDecoder URLEncoder UnknownHostException",
    ),
    ("java.math", "BigDecimal BigInteger MathContext RoundingMode"),
    (
        "java.text",
        "Collator DateFormat DecimalFormat DecimalFormatSymbols MessageFormat Normalizer NumberFormat ParseException ParsePosition \
         SimpleDateFormat",
    ),
];

/// Returns the package of Java itself that a file imports as a whole and that has a type. A type of another such package with the same name
/// would be ambiguous, which the compiler rejects.
pub(crate) fn imported(facts: &Facts, name: &str) -> Option<&'static str> {
    let has = |types: &str| types.split_whitespace().any(|one| one == name);
    let is_imported =
        |package: &str| facts.imports.iter().any(|import| import.local == "*" && import.module == package);
    PACKAGES.iter().find(|(package, types)| is_imported(package) && has(types)).map(|(package, _)| *package)
}
