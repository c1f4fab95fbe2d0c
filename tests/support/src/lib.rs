//! Real git repositories, a scripted model server and agent stand-ins for the tests.

pub mod repo;
