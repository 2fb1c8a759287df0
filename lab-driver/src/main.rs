//! The lab-driver command.

use std::process::ExitCode;

fn main() -> ExitCode {
    lab_driver::cli::main(std::env::args_os())
}
