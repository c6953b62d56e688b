//! Programs run on the simulator, by what is asked of them. One program of tests, so that all of them share what runs
//! a program ([`snippet`]).

mod exceptions;
mod lines;
mod memory;
mod runs;
mod snippet;
mod standstill;
mod threads;
mod values;
mod watched;
