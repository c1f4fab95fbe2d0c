//! The only face of the core: JSON-RPC methods and their wire types.

pub mod wire;
