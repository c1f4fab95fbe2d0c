//! The names that each language defines itself, without an import.

use std::collections::HashSet;
use std::sync::LazyLock;

use diffsan_syntax::language::Language;

/// A set of names.
type Names = LazyLock<HashSet<&'static str>>;

/// Returns whether the language defines a name. `has_member` says that the name is followed by a member.
pub(crate) fn is_builtin(language: Language, name: &str, has_member: bool) -> bool {
    static PYTHON_NAMES: Names = LazyLock::new(|| names(&[PYTHON]));
    static SCRIPT_NAMES: Names = LazyLock::new(|| names(&[SCRIPT, PAGE_TYPES]));
    static GO_NAMES: Names = LazyLock::new(|| names(&[GO]));
    static RUST_NAMES: Names = LazyLock::new(|| names(&[RUST]));
    static JAVA_NAMES: Names = LazyLock::new(|| names(&[JAVA]));
    static RUBY_NAMES: Names = LazyLock::new(|| names(&[RUBY]));
    static PHP_NAMES: Names = LazyLock::new(|| names(&[PHP, PHP_FUNCTIONS, PHP_MORE, PHP_EXTENSIONS, LARAVEL]));
    match language {
        Language::Python => PYTHON_NAMES.contains(name),
        Language::JavaScript | Language::TypeScript | Language::Tsx => SCRIPT_NAMES.contains(name),
        Language::Go => GO_NAMES.contains(name),
        // A name in lower case can be a variable of a pattern that the reader does not know.
        Language::Rust => (has_member && !name.starts_with(char::is_uppercase)) || RUST_NAMES.contains(name),
        Language::Java => JAVA_NAMES.contains(name) || (has_member && !name.starts_with(char::is_uppercase)),
        // A name in lower case before a member is a variable or a method without arguments, such as a field's.
        Language::Ruby => (has_member && !name.starts_with(char::is_uppercase)) || RUBY_NAMES.contains(name),
        Language::Php => PHP_NAMES.contains(name) || PHP_FAMILIES.iter().any(|start| name.starts_with(start)),
        _ => true,
    }
}

fn names(lists: &[&'static str]) -> HashSet<&'static str> {
    lists.iter().flat_map(|list| list.split_whitespace()).collect()
}

/// Methods that each object of Java has.
pub(crate) const OBJECT_METHODS: &[&str] = &["getClass", "notify", "notifyAll", "wait"];

/// Returns whether a name is a word of the routes of Rails in a file of routes.
pub(crate) fn is_route(path: &str, name: &str) -> bool {
    let is_routes = path.ends_with("config/routes.rb") || path.contains("config/routes/");
    is_routes && ROUTES.split_whitespace().any(|word| word == name)
}

const ROUTES: &str = "get post put patch delete match root resources resource namespace scope mount direct resolve concern concerns member \
    collection constraints defaults draw nested shallow controller devise_for devise_scope authenticate authenticated unauthenticated \
    use_doorkeeper redirect route_for";

/// Returns whether a name is a word of Sinatra in a file that uses it.
pub(crate) fn is_of_sinatra(text: &str, name: &str) -> bool {
    SINATRA.split_whitespace().any(|word| word == name) && text.contains("inatra")
}

const SINATRA: &str = "get post put patch delete options head link unlink before after helpers configure set enable disable settings not_found error \
    content_type redirect halt pass status headers body erb haml slim builder markdown liquid params request response session env logger url \
    uri to cache_control expires etag last_modified attachment stream route register use run map production? development? test? \
    json namespace cookies flash provides condition layout template mime_type back forward call call! dispatch! show_exceptions";

/// Functions of PHP that only compute, configure or read the state of the request.
const PHP_FUNCTIONS: &str = "extension_loaded get_loaded_extensions get_extension_funcs get_cfg_var get_include_path set_include_path php_ini_loaded_file \
    php_ini_scanned_files get_defined_vars get_defined_constants get_defined_functions get_declared_classes get_declared_interfaces \
    get_declared_traits get_mangled_object_vars get_resource_id get_resources get_required_files get_included_files getrusage hrtime \
    highlight_string php_strip_whitespace net_get_interfaces forward_static_call forward_static_call_array func_get_arg \
    register_tick_function unregister_tick_function trigger_error user_error error_reporting assert assert_options array_key_exists \
    checkdate cal_days_in_month cal_to_jd jdtogregorian gregoriantojd easter_date easter_days date_sunrise date_sunset strftime \
    gmstrftime strptime timezone_name_from_abbr microtime gettimeofday mt_rand mt_srand mt_getrandmax rand srand getrandmax random_int \
    random_bytes lcg_value hash hash_algos hash_equals hash_hmac hash_init hash_update hash_final md5 sha1 crypt number_format money_format \
    nl2br similar_text ucwords vprintf vfprintf wordwrap bin2hex convert_cyr_string count_chars chunk_split crc32 hebrev implode \
    lcfirst levenshtein localeconv ltrim nl_langinfo printf rtrim chop sprintf str_word_count strcoll strtok settype serialize \
    unserialize call_user_func is_iterable is_countable imagecreate imagecolorat imagecolorsforindex imagefilledrectangle \
    imagerectangle imageline imagestring imagettftext imagettfbbox imagefill imagerotate imagescale imagecrop imageflip imagefilter \
    imagecopy imagecopymerge imagecopyresized imagealphablending imagesavealpha imagecolortransparent imageinterlace \
    imageistruecolor imagepalettetotruecolor gd_info numfmt_create numfmt_format collator_create collator_compare intl_get_error_code \
    transliterator_transliterate normalizer_normalize grapheme_strlen grapheme_substr locale_get_default idn_to_ascii idn_to_utf8 \
    simplexml_load_string libxml_use_internal_errors libxml_get_errors libxml_clear_errors utf8_encode xml_parser_create \
    ctype_alpha sodium_bin2hex sodium_hex2bin sodium_memcmp iconv connection_aborted connection_status ignore_user_abort stream_context_create stream_get_meta_data \
    stream_context_set_option stream_set_timeout stream_set_blocking stream_filter_append exif_imagetype getimagesize getimagesizefromstring \
    image_type_to_mime_type image_type_to_extension imagecreatefromstring imagecreatetruecolor imagecopyresampled imagesx imagesy \
    imagedestroy imagecolorallocate mime_content_type finfo_open finfo_file finfo_buffer finfo_close inet_pton inet_ntop nl_langinfo \
    setlocale timezone_identifiers_list timezone_open date_parse date_diff gethostname php_uname \
    sys_get_temp_dir disk_free_space disk_total_space set_time_limit memory_get_peak_usage gc_enable gc_disable get_called_class \
    get_class_methods is_a is_subclass_of class_implements class_uses class_parents func_num_args get_resource_type spl_classes \
    ini_get_all ini_parse_quantity zend_version fnmatch substr_count substr_replace substr \
    strcmp strcasecmp strncmp strncasecmp strnatcmp strnatcasecmp strrev strstr stristr strrchr stripos strrpos strripos strpbrk \
    strspn strcspn strip_tags stripslashes addslashes addcslashes nl2br lcg_value metaphone similar_text soundex convert_uuencode \
    quoted_printable_encode quoted_printable_decode html_entity_decode utf8_encode crc32 bcadd bcsub bcmul bcdiv bccomp bcmod \
    bcpow gmp_add gmp_sub gmp_mul gmp_cmp is_finite is_nan is_infinite hypot log1p expm1 deg2rad rad2deg sinh cosh tanh octdec \
    gzcompress gzuncompress gzencode gzdecode gzdeflate gzinflate zlib_encode pack unpack igbinary_serialize debug_zval_refcount \
    header_remove headers_list header_register_callback ob_get_contents ob_get_level ob_get_length ob_flush fastcgi_finish_request \
    iterator_apply array_walk key_exists natcasesort rsort arsort asort uksort each list compact clearstatcache fileperms fileowner \
    fileatime filectime filetype stat lstat is_link is_executable is_uploaded_file readlink fnmatch ftok sys_getloadavg getmypid \
    getmyuid get_current_user getlastmod error_get_last error_clear_last restore_exception_handler debug_print_backtrace";

/// Functions and classes of the extensions of PHP that only compute, configure, or read what another function has got.
const PHP_EXTENSIONS: &str = include_str!("php_functions.txt");

/// More functions of PHP and WordPress that only compute, configure, or add to the page.
const PHP_MORE: &str = "escapeshellarg escapeshellcmd addslashes quotemeta nl2br lcfirst vfprintf fprintf money_format similar_text soundex \
    metaphone convert_cyr_string utf8_decode utf8_encode ctype_alnum iptcembed jdtojulian juliantojd unixtojd cal_info assert_options \
    call_user_method connection_aborted debug_zval_refcount error_clear_last php_ini_scanned_files sys_getloadavg gc_status gc_mem_caches \
    opcache_get_status opcache_invalidate opcache_reset inet_ntop net_get_interfaces ip2long localeconv nl_langinfo intdiv fdiv array_find \
    mhash msgfmt_format msgfmt_create idn_to_ascii transliterator_create spl_autoload_functions stream_get_wrappers stream_get_line \
    stream_is_local stream_filter_register stream_select stream_set_write_buffer stream_supports_lock stream_wrapper_register \
    libxml_clear_errors libxml_get_errors dom_import_simplexml simplexml_import_dom xml_parse xml_set_element_handler xmlwriter_open_memory \
    curl_multi_init curl_multi_add_handle curl_share_init curl_copy_handle curl_escape curl_strerror curl_version curl_file_create \
    shortcode_atts do_shortcode has_shortcode remove_shortcode strip_shortcodes number_format_i18n date_i18n human_time_diff checked selected \
    disabled wpautop wptexturize absint zeroise trailingslashit untrailingslashit add_query_arg remove_query_arg home_url site_url admin_url \
    plugins_url content_url includes_url rest_url network_home_url the_title the_content the_excerpt the_permalink the_post have_posts \
    is_singular is_single is_page is_home is_front_page is_archive is_category is_user_logged_in in_the_loop body_class post_class \
    language_attributes bloginfo wp_head wp_footer wp_body_open dynamic_sidebar register_sidebar register_nav_menus wp_nav_menu \
    add_theme_support add_image_size add_menu_page add_submenu_page add_options_page add_settings_section add_settings_field settings_fields \
    do_settings_sections submit_button register_setting add_meta_box register_block_type register_rest_route register_widget \
    add_shortcode did_action has_action has_filter current_filter doing_action apply_filters_ref_array do_action_ref_array remove_filter \
    load_plugin_textdomain load_theme_textdomain __return_true __return_false __return_null _n _nx _ex _deprecated_function _doing_it_wrong \
    map_meta_cap user_can get_role wp_unslash wp_slash wp_parse_args wp_parse_url wp_parse_id_list wp_list_filter wp_list_sort \
    wp_localize_script wp_add_inline_script wp_add_inline_style wp_register_script wp_register_style wp_dequeue_script wp_script_is \
    wp_create_nonce wp_verify_nonce wp_nonce_url check_ajax_referer wp_send_json wp_send_json_success wp_send_json_error wp_doing_ajax \
    wp_is_mobile wp_trim_words wp_strip_all_tags wp_specialchars_decode wp_html_excerpt wp_get_current_user get_current_user_id wp_kses \
    wp_redirect wp_safe_redirect wp_reset_postdata wp_reset_query wp_hash wp_salt wp_generate_password wp_rand wp_timezone \
    wp_get_environment_type wp_installing wp_using_themes get_template_part get_header get_footer get_sidebar locate_template";

/// Helpers of Laravel that only compute, or read the configuration and the request.
const LARAVEL: &str = "once e encrypt decrypt object_get data_get data_set data_fill data_forget resource_path database_path lang_path config_path \
    bootstrap_path mix vite action secure_url secure_asset to_route trans_choice blank filled class_basename \
    class_uses_recursive trait_uses_recursive head last transform windows_os when lazy literal policy method_field csrf_field \
    precognitive response abort_if abort_unless fluent str append_config defer";

const PYTHON: &str = "abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex delattr \
    dict dir divmod enumerate eval exec filter float format frozenset getattr globals hasattr hash help hex id input int isinstance \
    issubclass iter len list locals map max memoryview min next object oct open ord pow print property range repr reversed round set \
    setattr slice sorted staticmethod str sum super tuple type vars zip __import__ __name__ __file__ __doc__ self cls \
    ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError BrokenPipeError BufferError \
    ChildProcessError ConnectionAbortedError ConnectionError ConnectionRefusedError ConnectionResetError DeprecationWarning EOFError \
    EnvironmentError Exception ExceptionGroup FileExistsError FileNotFoundError FloatingPointError FutureWarning GeneratorExit IOError \
    ImportError IndexError InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError ModuleNotFoundError \
    NameError NotADirectoryError NotImplementedError OSError OverflowError PermissionError ProcessLookupError RecursionError \
    ReferenceError ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration StopIteration SyntaxError SystemError SystemExit \
    TabError TimeoutError TypeError UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError UserWarning ValueError \
    Warning ZeroDivisionError";

const SCRIPT: &str = "Array ArrayBuffer AggregateError Atomics BigInt BigInt64Array BigUint64Array Boolean DataView Date Error EvalError \
    FinalizationRegistry Float32Array Float64Array Function Infinity Int16Array Int32Array Int8Array Intl Iterator JSON Map Math NaN \
    Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set SharedArrayBuffer String Symbol SyntaxError TypeError \
    URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet decodeURI decodeURIComponent encodeURI \
    encodeURIComponent escape unescape eval isFinite isNaN parseFloat parseInt undefined globalThis arguments require module exports \
    __dirname __filename process Buffer console setTimeout setInterval setImmediate clearTimeout clearInterval clearImmediate \
    queueMicrotask structuredClone URL URLSearchParams TextEncoder TextDecoder AbortController AbortSignal Event EventTarget \
    CustomEvent Headers Request Response FormData Blob File FileReader ReadableStream WritableStream TransformStream performance crypto \
    atob btoa window document navigator location history screen alert confirm prompt requestAnimationFrame cancelAnimationFrame \
    requestIdleCallback getComputedStyle matchMedia localStorage sessionStorage MutationObserver IntersectionObserver ResizeObserver \
    HTMLElement Element Node Image Audio Option DOMParser customElements self frames parent top describe it test expect beforeEach \
    afterEach beforeAll afterAll import this super Deno Bun Worker MessageChannel MessagePort BroadcastChannel URLPattern WebAssembly scrollTo fetch addEventListener \
    removeEventListener dispatchEvent $state $derived $effect $props $bindable $inspect defineProps defineEmits defineExpose defineModel defineOptions defineSlots withDefaults \
    $host Exclude Extract NonNullable Parameters ConstructorParameters ReturnType InstanceType ThisParameterType \
    OmitThisParameter ThisType Uppercase Lowercase Capitalize Uncapitalize NoInfer Awaited Required Partial Record Pick Omit Readonly \
    ReadonlyArray ReadonlyMap ReadonlySet ArrayLike PromiseLike Iterable AsyncIterable AsyncIterator AsyncIterableIterator \
    IterableIterator Generator AsyncGenerator GeneratorFunction TemplateStringsArray PropertyKey PropertyDescriptor React JSX NodeJS Window Document";

/// The types of the language and of pages whose members only change values or the page, from the declarations of TypeScript. Those that
/// send requests, store data or start workers are left out.
const PAGE_TYPES: &str = include_str!("page_types.txt");

const GO: &str = "append cap clear close complex copy delete imag len make max min new panic print println real recover string int int8 \
    int16 int32 int64 uint uint8 uint16 uint32 uint64 uintptr byte rune float32 float64 complex64 complex128 bool error nil true false \
    any iota comparable";

const RUST: &str = "Some None Ok Err Box Vec String Option Result Default Clone Copy Drop Iterator IntoIterator Extend From Into ToString \
    ToOwned ExactSizeIterator DoubleEndedIterator Fn FnMut FnOnce Send Sync Sized Unpin PartialEq Eq PartialOrd Ord AsRef AsMut TryFrom TryInto FromIterator drop vec! format! \
    write! writeln! panic! assert! assert_eq! assert_ne! debug_assert! debug_assert_eq! debug_assert_ne! unreachable! todo! \
    unimplemented! matches! concat! stringify! include_str! include_bytes! line! file! column! cfg! env! option_env! println! eprintln! \
    print! eprint! dbg! compile_error! module_path! thread_local! try! format_args! u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize \
    f32 f64 bool char str Self size_of align_of size_of_val";

const JAVA: &str = "Object String StringBuilder StringBuffer Integer Long Short Byte Float Double Boolean Character Number Math StrictMath \
    System Thread ThreadLocal Runnable Process ProcessBuilder Runtime Class ClassLoader Enum Record Iterable Comparable CharSequence \
    Cloneable AutoCloseable Void Package Module StackTraceElement InheritableThreadLocal StackWalker Throwable Exception Error \
    RuntimeException IllegalArgumentException IllegalStateException NullPointerException IndexOutOfBoundsException \
    ArrayIndexOutOfBoundsException StringIndexOutOfBoundsException UnsupportedOperationException ClassCastException \
    ArithmeticException NumberFormatException InterruptedException CloneNotSupportedException ClassNotFoundException \
    NoSuchFieldException NoSuchMethodException ReflectiveOperationException SecurityException AssertionError OutOfMemoryError \
    StackOverflowError LinkageError ExceptionInInitializerError UnsatisfiedLinkError Override Deprecated FunctionalInterface super this getClass \
    hashCode toString equals notify notifyAll wait clone values valueOf name ordinal \
    AbstractMethodError Appendable ArrayStoreException BootstrapMethodError ClassCircularityError ClassFormatError ClassValue \
    EnumConstantNotPresentException IllegalAccessError IllegalAccessException IllegalCallerException IllegalMonitorStateException \
    IllegalThreadStateException IncompatibleClassChangeError InstantiationError InstantiationException InternalError \
    LayerInstantiationException NegativeArraySizeException NoClassDefFoundError NoSuchFieldError NoSuchMethodError Readable \
    SafeVarargs SuppressWarnings ThreadDeath ThreadGroup TypeNotPresentException UnknownError UnsupportedClassVersionError \
    VerifyError VirtualMachineError";

const RUBY: &str = "Array BasicObject Binding Class Comparable Complex Dir ENV Encoding Enumerable Enumerator Exception FalseClass Fiber File \
    FileTest Float GC Hash IO Integer Kernel Marshal MatchData Math Method Module Mutex NilClass Numeric Object ObjectSpace Proc Process \
    Queue Random Range Rational Regexp Set Signal SizedQueue String Struct Data Symbol Thread Time TracePoint TrueClass UnboundMethod \
    StandardError ArgumentError EncodingError EOFError FrozenError FloatDomainError IOError IndexError Interrupt KeyError LoadError \
    LocalJumpError NameError NoMatchingPatternError NoMethodError NotImplementedError RangeError RegexpError RuntimeError ScriptError \
    SecurityError SignalException StopIteration SyntaxError SystemCallError SystemExit ThreadError TypeError UncaughtThrowError \
    ZeroDivisionError Errno ARGV STDIN STDOUT STDERR ARGF RUBY_VERSION RUBY_PLATFORM Ractor Refinement Warning JSON YAML CSV Date \
    DateTime BigDecimal SecureRandom Digest OpenStruct Forwardable Singleton Observable Timeout Benchmark Logger ERB StringIO Tempfile \
    Pathname FileUtils URI IPAddr CGI Arel HashWithIndifferentAccess OptionParser Shellwords Etc Zlib Base64 Delegator SimpleDelegator DelegateClass \
    abort at_exit autoload binding block_given? caller catch fail format gets global_variables lambda local_variables loop open p pp \
    print printf proc putc puts raise rand readline readlines require require_relative load select set_trace_func sleep sprintf srand \
    syscall system test throw trap warn exit exit! exec fork spawn attr attr_accessor attr_reader attr_writer include extend prepend \
    private protected public module_function private_class_method public_class_method private_constant define_method alias_method \
    remove_method undef_method remove_const const_get const_set instance_variable_get instance_variable_set class_eval module_eval \
    instance_eval instance_exec class_exec send public_send __send__ respond_to? method freeze dup clone tap then yield_self is_a? \
    kind_of? instance_of? nil? using refine Integer Float String Array Hash Rational Complex super self new allocate name to_s inspect \
    hash class frozen? equal? instance_variable_defined? instance_variables methods object_id def_delegators def_delegator yield \
    gem source ruby group platforms git_source gemspec \
    desc task multitask namespace rule file directory import";

const PHP: &str = "Exception Error ErrorException TypeError ValueError ArithmeticError DivisionByZeroError ArgumentCountError AssertionError \
    InvalidArgumentException RuntimeException LogicException DomainException LengthException OutOfRangeException OutOfBoundsException \
    RangeException OverflowException UnderflowException UnexpectedValueException BadFunctionCallException BadMethodCallException \
    JsonException Throwable Stringable DateTime DateTimeImmutable DateTimeInterface DateTimeZone DateInterval DatePeriod Closure \
    Generator Iterator IteratorAggregate ArrayAccess Countable ArrayObject ArrayIterator SplObjectStorage SplQueue SplStack \
    SplPriorityQueue SplFixedArray Traversable JsonSerializable Serializable UnitEnum BackedEnum WeakMap WeakReference stdClass \
    NumberFormatter IntlDateFormatter Collator Normalizer ReflectionClass ReflectionMethod ReflectionProperty ReflectionFunction \
    ReflectionNamedType ReflectionException DOMDocument DOMXPath SimpleXMLElement XMLReader XMLWriter Attribute parent self static \
    abs acos asin atan atan2 base_convert bin2hex bindec boolval call_user_func call_user_func_array ceil checkdate chr chop chunk_split \
    class_exists compact constant cos count crc32 current date_create decbin dechex decoct define defined die echo empty end \
    enum_exists error_reporting exit exp explode extract fdiv filter_var floatval floor fmod func_get_args function_exists gc_collect_cycles \
    get_class get_object_vars get_parent_class gettype hex2bin hexdec html_entity_decode htmlentities htmlspecialchars \
    http_build_query implode in_array ini_get ini_set interface_exists intdiv interface_exists intval ip2long isset iterator_to_array \
    iterator_count join key key_exists krsort ksort lcfirst levenshtein list localeconv log log10 long2ip ltrim max memory_get_usage \
    method_exists min mktime gmmktime money_format natsort next nl2br number_format octdec ord parse_str parse_url pi pos pow prev \
    print print_r printf property_exists quotemeta range rawurldecode rawurlencode reset restore_error_handler round rsort rtrim \
    serialize set_error_handler set_exception_handler settype shuffle similar_text sin sizeof sleep sort soundex spl_autoload_register \
    spl_object_id spl_object_hash sprintf sqrt sscanf strlen strtolower strtoupper strpos strtr strtotime date_default_timezone_set tan \
    trim trait_exists uasort ucfirst ucwords uksort unset urldecode urlencode usleep usort utf8_decode utf8_encode var_dump var_export \
    version_compare vsprintf vprintf wordwrap array fn gmdate idate localtime getdate is_callable header http_response_code headers_sent \
    setcookie session_start session_destroy session_regenerate_id session_id ob_start ob_get_clean ob_end_clean flush phpversion \
    php_sapi_name debug_backtrace basename dirname pathinfo realpath file_exists is_file is_dir is_readable is_writable filesize \
    filemtime fclose feof flock rewind fseek ftell opendir readdir closedir scandir glob getcwd spl_autoload_register register_shutdown_function \
    dd dump config view redirect route request response session trans __ now today collect abort auth csrf_token old url asset \
    base_path storage_path public_path app_path app resolve optional tap value with back bcrypt cache cookie event dispatch report rescue \
    retry throw_if throw_unless validator today info logger __construct __invoke curl_init curl_setopt curl_setopt_array curl_close \
    curl_getinfo curl_error curl_errno curl_reset add_action add_filter apply_filters do_action remove_action register_activation_hook \
    register_deactivation_hook register_post_type register_taxonomy add_shortcode esc_html esc_attr esc_url esc_html__ _e _x \
    sanitize_text_field wp_enqueue_script wp_enqueue_style wp_die current_user_can is_admin plugin_dir_path plugin_dir_url get_the_ID \
    get_permalink get_the_title get_bloginfo wp_json_encode wp_nonce_field check_admin_referer is_wp_error wp_list_pluck";

/// The beginnings of names of PHP's functions on texts, arrays and numbers.
const PHP_FAMILIES: &[&str] = &[
    "array_",
    "str_",
    "mb_",
    "preg_",
    "ctype_",
    "is_",
    "json_",
    "iconv_",
    "substr",
    "strr",
    "stri",
    "strn",
    "strc",
    "strs",
    "stri",
    "strp",
    "iterator_",
    "date_",
    "bc",
    "gmp_",
    "filter_",
    "spl_",
    "ob_",
    "session_",
    "ini_",
    "base64_",
    "password_",
    "token_",
    "gz",
    "zlib_",
    "array",
    "uc",
    "lc",
    "html",
    "is_",
    "var_",
    "func_",
    "get_",
    "class_",
    "func",
    "wp_kses_",
    "esc_",
    "sanitize_",
    "xml",
    "libxml_",
    "image",
    "numfmt_",
    "grapheme_",
    "intl",
    "ctype",
    "sodium_",
    "openssl_",
    "hash",
    "strp",
];

/// Returns whether a type that no file defines is one of the language, which only holds data.
pub(crate) fn is_builtin_type(language: Language, path: &[String]) -> bool {
    let Some(name) = path.last() else { return true };
    // Types of Go and Rust cannot inherit code, and the names of these types are imported or of the language.
    matches!(language, Language::Go | Language::Rust)
        || ["Error", "Exception", "Warning"].iter().any(|end| name.ends_with(end))
        || BUILTIN_TYPES.contains(&name.as_str())
}

pub(crate) const BUILTIN_TYPES: &[&str] = &[
    "object",
    "type",
    "dict",
    "list",
    "set",
    "tuple",
    "str",
    "int",
    "float",
    "bool",
    "bytes",
    "frozenset",
    "property",
    "Object",
    "Array",
    "Map",
    "Set",
    "WeakMap",
    "Promise",
    "Function",
    "Date",
    "RegExp",
    "Event",
    "EventTarget",
    "Element",
    "HTMLElement",
    "Node",
    "Proxy",
    "Partial",
    "Record",
    "Omit",
    "Pick",
    "Readonly",
    "Iterable",
    "Iterator",
    "Comparable",
    "Cloneable",
    "AutoCloseable",
    "Runnable",
    "Enum",
    "Number",
    "CharSequence",
    "Struct",
    "BasicObject",
    "Module",
    "Hash",
    "String",
    "Enumerable",
    "Kernel",
    "Throwable",
    "Countable",
    "ArrayAccess",
    "JsonSerializable",
    "IteratorAggregate",
    "Stringable",
    "Traversable",
    "ArrayObject",
    "Closure",
];
