//! The program from outside: what it prints, how it exits, what it leaves behind.

mod codex;
mod cursor;
mod errors;
mod prepare;
mod redact;
mod serve;
mod support;
