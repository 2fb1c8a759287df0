//! `machine`: the line that belongs to every measured number.

use super::Exit;
use crate::engine::record::Mode;
use crate::live;
use crate::render;

pub(super) fn run() -> Exit {
    let machine = live::machine::read();
    super::outputs::to_stdout(|out| render::machine::write(&machine, Mode::Live, out));
    Exit::Pass
}
