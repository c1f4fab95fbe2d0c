//! The names that a language or its usual environments define.
//!
//! Sources: the documentation of the languages and of their environments: browsers, Node and test runners for scripts. A name too many only
//! leaves a claim unchecked.

use diffsan_syntax::language::Language;

/// Returns whether a language or an environment defines a name.
pub(super) fn is_built_in(language: Language, name: &str) -> bool {
    let list = match language {
        Language::Python => PYTHON,
        Language::JavaScript | Language::TypeScript | Language::Tsx => SCRIPT,
        Language::Go => GO,
        Language::Rust => RUST,
        Language::Java => JAVA,
        _ => return true,
    };
    list.binary_search(&name).is_ok()
}

/// The built-in names of Python, sorted.
#[rustfmt::skip]
const PYTHON: &[&str] = &[
    "ArithmeticError", "AssertionError", "AttributeError", "BaseException", "BaseExceptionGroup", "BlockingIOError", "BrokenPipeError",
    "BufferError", "BytesWarning", "ChildProcessError", "ConnectionAbortedError", "ConnectionError", "ConnectionRefusedError",
    "ConnectionResetError", "DeprecationWarning", "EOFError", "Ellipsis", "EncodingWarning", "EnvironmentError", "Exception",
    "ExceptionGroup", "False", "FileExistsError", "FileNotFoundError", "FloatingPointError", "FutureWarning", "GeneratorExit", "IOError",
    "ImportError", "ImportWarning", "IndentationError", "IndexError", "InterruptedError", "IsADirectoryError", "KeyError",
    "KeyboardInterrupt", "LookupError", "MemoryError", "ModuleNotFoundError", "NameError", "None", "NotADirectoryError", "NotImplemented",
    "NotImplementedError", "OSError", "OverflowError", "PendingDeprecationWarning", "PermissionError", "ProcessLookupError",
    "RecursionError", "ReferenceError", "ResourceWarning", "RuntimeError", "RuntimeWarning", "StopAsyncIteration", "StopIteration",
    "SyntaxError", "SyntaxWarning", "SystemError", "SystemExit", "TabError", "TimeoutError", "True", "TypeError", "UnboundLocalError",
    "UnicodeDecodeError", "UnicodeEncodeError", "UnicodeError", "UnicodeTranslateError", "UnicodeWarning", "UserWarning", "ValueError",
    "Warning", "WindowsError", "ZeroDivisionError", "__annotations__", "__build_class__", "__class__", "__debug__", "__doc__", "__file__",
    "__import__", "__loader__", "__name__", "__package__", "__path__", "__spec__", "abs", "aiter", "all", "anext", "any", "ascii", "bin",
    "bool", "breakpoint", "bytearray", "bytes", "callable", "chr", "classmethod", "compile", "complex", "copyright", "credits", "delattr",
    "dict", "dir", "divmod", "enumerate", "eval", "exec", "exit", "filter", "float", "format", "frozenset", "getattr", "globals",
    "hasattr", "hash", "help", "hex", "id", "input", "int", "isinstance", "issubclass", "iter", "len", "license", "list", "locals", "map",
    "max", "memoryview", "min", "next", "object", "oct", "open", "ord", "pow", "print", "property", "quit", "range", "repr",
    "reveal_type", "reversed", "round", "set", "setattr", "slice", "sorted", "staticmethod", "str", "sum", "super", "tuple", "type",
    "vars", "zip",
];

/// The global names of scripts, and the types of TypeScript, sorted.
#[rustfmt::skip]
const SCRIPT: &[&str] = &[
    "$", "$bindable", "$derived", "$effect", "$inspect", "$props", "$state", "AbortController", "AbortSignal", "AddEventListenerOptions",
    "AggregateError", "Array", "ArrayBuffer", "ArrayLike", "AsyncGenerator", "AsyncIterable", "AsyncIterableIterator", "AsyncIterator",
    "Atomics", "Audio", "Awaited", "BigInt", "BigInt64Array", "BigUint64Array", "Blob", "BlobPart", "BodyInit", "Boolean",
    "BroadcastChannel", "Buffer", "Bun", "ByteLengthQueuingStrategy", "CSS", "CSSStyleSheet", "Cache", "CanvasRenderingContext2D",
    "Capitalize", "ClassDecorator", "ClipboardItem", "CloseEvent", "Comment", "CompressionStream", "ConstructorParameters",
    "CountQueuingStrategy", "Crypto", "CryptoKey", "CustomElementRegistry", "CustomEvent", "Cypress", "DOMException", "DOMMatrix",
    "DOMParser", "DOMPoint", "DOMRect", "DOMStringMap", "DataTransfer", "DataView", "Date", "DecompressionStream", "Deno", "Document",
    "DocumentFragment", "DragEvent", "Element", "Error", "ErrorEvent", "EvalError", "Event", "EventListener", "EventSource",
    "EventTarget", "Exclude", "Extract", "File", "FileList", "FileReader", "FinalizationRegistry", "Float32Array", "Float64Array",
    "FocusEvent", "FontFace", "FormData", "Function", "Generator", "HTMLElement", "HashChangeEvent", "Headers", "HeadersInit", "History",
    "IDBKeyRange", "Image", "ImageBitmap", "ImageData", "Infinity", "InputEvent", "InstanceType", "Int16Array", "Int32Array", "Int8Array",
    "IntersectionObserver", "Intl", "Iterable", "IterableIterator", "Iterator", "JSON", "JSX", "Keyboard", "KeyboardEvent", "Location",
    "Lowercase", "Map", "Math", "MediaQueryList", "MessageChannel", "MessageEvent", "MessagePort", "MethodDecorator", "MouseEvent",
    "MutationObserver", "NaN", "Navigator", "Node", "NodeFilter", "NodeJS", "NodeList", "NonNullable", "Notification", "Number", "Object",
    "OffscreenCanvas", "Omit", "Option", "ParameterDecorator", "Parameters", "Partial", "Path2D", "Performance", "PerformanceObserver",
    "Pick", "PointerEvent", "PopStateEvent", "ProgressEvent", "Promise", "PromiseLike", "PromiseRejectionEvent", "PropertyDecorator",
    "PropertyDescriptor", "PropertyKey", "Proxy", "RTCPeerConnection", "Range", "RangeError", "ReadableStream", "Readonly",
    "ReadonlyArray", "ReadonlyMap", "ReadonlySet", "Record", "ReferenceError", "Reflect", "RegExp", "Request", "RequestInit", "Required",
    "ResizeObserver", "Response", "ResponseInit", "ReturnType", "SVGElement", "Selection", "Set", "ShadowRoot", "SharedArrayBuffer",
    "SharedWorker", "Storage", "String", "SubmitEvent", "Symbol", "SyntaxError", "TemplateStringsArray", "Text", "TextDecoder",
    "TextDecoderStream", "TextEncoder", "TextEncoderStream", "Thenable", "ThisType", "TouchEvent", "TransformStream", "TypeError",
    "UIEvent", "URIError", "URL", "URLPattern", "URLSearchParams", "Uint16Array", "Uint32Array", "Uint8Array", "Uint8ClampedArray",
    "Uncapitalize", "Uppercase", "WeakMap", "WeakRef", "WeakSet", "WebAssembly", "WebSocket", "WheelEvent", "Window", "Worker",
    "WritableStream", "XMLHttpRequest", "XMLSerializer", "XPathResult", "_", "__dirname", "__filename", "addEventListener", "after",
    "afterAll", "afterEach", "alert", "angular", "any", "arguments", "assert", "async", "atob", "before", "beforeAll", "beforeEach",
    "bigint", "blur", "boolean", "browser", "btoa", "caches", "cancelAnimationFrame", "cancelIdleCallback", "chai", "chrome",
    "clearImmediate", "clearInterval", "clearTimeout", "close", "closed", "computed", "confirm", "console", "const", "context",
    "cookieStore", "crypto", "customElements", "cy", "decodeURI", "decodeURIComponent", "define", "defineEmits", "defineProps",
    "describe", "dispatchEvent", "document", "encodeURI", "encodeURIComponent", "escape", "eval", "event", "expect", "exports",
    "external", "false", "fdescribe", "fetch", "fit", "focus", "frames", "getComputedStyle", "getSelection", "global", "globalThis",
    "google", "gtag", "history", "importScripts", "indexedDB", "innerHeight", "innerWidth", "isFinite", "isNaN", "isSecureContext", "it",
    "jQuery", "jasmine", "jest", "length", "localStorage", "location", "matchMedia", "module", "moveTo", "name", "navigation",
    "navigator", "never", "null", "number", "object", "onerror", "open", "opener", "origin", "outerHeight", "outerWidth", "page",
    "pageXOffset", "pageYOffset", "parent", "parseFloat", "parseInt", "performance", "postMessage", "print", "process", "prompt",
    "queueMicrotask", "ref", "removeEventListener", "reportError", "requestAnimationFrame", "requestIdleCallback", "require", "resizeTo",
    "scheduler", "screen", "screenX", "screenY", "scroll", "scrollBy", "scrollTo", "scrollX", "scrollY", "self", "sessionStorage",
    "setImmediate", "setInterval", "setTimeout", "setup", "sinon", "specify", "spyOn", "status", "stop", "string", "structuredClone",
    "suite", "super", "symbol", "teardown", "test", "this", "top", "true", "trustedTypes", "undefined", "unescape", "unknown", "vi",
    "visualViewport", "void", "webkitURL", "window", "xdescribe", "xit",
];

/// The predeclared names of Go, sorted.
#[rustfmt::skip]
const GO: &[&str] = &[
    "any", "append", "bool", "break", "byte", "cap", "chan", "clear", "close", "comparable", "complex", "complex128", "complex64", "copy",
    "default", "delete", "error", "false", "float32", "float64", "imag", "int", "int16", "int32", "int64", "int8", "iota", "len", "make",
    "max", "min", "new", "nil", "panic", "print", "println", "real", "recover", "rune", "string", "true", "uint", "uint16", "uint32",
    "uint64", "uint8", "uintptr",
];

/// The names of the prelude of Rust that can be called, sorted.
#[rustfmt::skip]
const RUST: &[&str] = &[
    "Box", "Default", "Err", "None", "Ok", "Option", "Result", "Self", "Some", "String", "Vec", "align_of", "align_of_val", "drop",
    "size_of", "size_of_val",
];

/// The types of `java.lang`, sorted.
#[rustfmt::skip]
const JAVA: &[&str] = &[
    "AbstractMethodError", "Appendable", "ArithmeticException", "ArrayIndexOutOfBoundsException", "ArrayStoreException", "AssertionError",
    "AutoCloseable", "Boolean", "BootstrapMethodError", "Byte", "CharSequence", "Character", "Class", "ClassCastException",
    "ClassCircularityError", "ClassFormatError", "ClassLoader", "ClassNotFoundException", "ClassValue", "CloneNotSupportedException",
    "Cloneable", "Comparable", "Compiler", "Deprecated", "Double", "Enum", "EnumConstantNotPresentException", "Error", "Exception",
    "ExceptionInInitializerError", "Float", "FunctionalInterface", "IO", "IllegalAccessError", "IllegalAccessException",
    "IllegalArgumentException", "IllegalCallerException", "IllegalMonitorStateException", "IllegalStateException",
    "IllegalThreadStateException", "IncompatibleClassChangeError", "IndexOutOfBoundsException", "InheritableThreadLocal",
    "InstantiationError", "InstantiationException", "Integer", "InternalError", "InterruptedException", "Iterable",
    "LayerInstantiationException", "LinkageError", "Long", "MatchException", "Math", "Module", "ModuleLayer",
    "NegativeArraySizeException", "NoClassDefFoundError", "NoSuchFieldError", "NoSuchFieldException", "NoSuchMethodError",
    "NoSuchMethodException", "NullPointerException", "Number", "NumberFormatException", "Object", "OutOfMemoryError", "Override",
    "Package", "Process", "ProcessBuilder", "ProcessHandle", "Readable", "Record", "ReflectiveOperationException", "Runnable", "Runtime",
    "RuntimeException", "RuntimePermission", "SafeVarargs", "ScopedValue", "SecurityException", "SecurityManager", "Short",
    "StackOverflowError", "StackTraceElement", "StackWalker", "StrictMath", "String", "StringBuffer", "StringBuilder",
    "StringIndexOutOfBoundsException", "StringTemplate", "SuppressWarnings", "System", "Thread", "ThreadDeath", "ThreadGroup",
    "ThreadLocal", "Throwable", "TypeNotPresentException", "UnknownError", "UnsatisfiedLinkError", "UnsupportedClassVersionError",
    "UnsupportedOperationException", "VerifyError", "VirtualMachineError", "Void", "WrongThreadException", "var",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_sorted() {
        for list in [PYTHON, SCRIPT, GO, RUST, JAVA] {
            assert!(list.is_sorted(), "{list:?}");
        }
    }
}
