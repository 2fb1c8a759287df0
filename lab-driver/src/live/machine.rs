//! Facts about the machine that the driver runs on.

use sysinfo::{CpuRefreshKind, MemoryRefreshKind, RefreshKind, System};

use crate::engine::record::Machine;

/// Reads them now.
pub fn read() -> Machine {
    let kinds = RefreshKind::nothing()
        .with_cpu(CpuRefreshKind::nothing())
        .with_memory(MemoryRefreshKind::nothing().with_ram());
    // What the system does not tell is left empty: it is no reason not to run.
    let system = System::new_with_specifics(kinds).ok();
    let brand =
        system.as_ref().and_then(|system| Some(system.cpus().first()?.brand().trim().to_owned()));
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let name = System::long_os_version().unwrap_or_else(|_| std::env::consts::OS.to_owned());
    let kernel = System::kernel_version().unwrap_or_default();
    Machine {
        cpu: brand
            .filter(|brand| !brand.is_empty())
            .unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
        cores: u32::try_from(cores).unwrap_or(u32::MAX),
        memory_bytes: system.map_or(0, |system| system.total_memory()),
        os: format!("{name}, kernel {kernel}"),
        load_1m: System::load_average().map_or(0.0, |load| load.one),
    }
}
