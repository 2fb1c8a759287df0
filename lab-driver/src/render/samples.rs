//! The sample file: one row per request while the run goes on, and at its head what joins it with a target's log.

use std::io::{self, Write};
use std::path::Path;

use super::files::{FileError, OutputFile};
use crate::engine::outcome::{Failure, Reply};
use crate::engine::plan::Plan;
use crate::engine::sample::{Naming, Sample};
use crate::engine::tick::Delta;

/// The columns. Instants are nanoseconds since the run's start, which the line above them has on the monotonic clock.
const COLUMNS: &str =
    "request,endpoint,user,index,intended_ns,ready_ns,sent_ns,done_ns,status,failure,bytes";

/// A sample file under way: a tick's rows at a time through a buffer, so that no run grows in memory for it.
///
/// The first error ends the writing, not the run; [`SampleFile::finish`] tells it.
#[derive(Debug)]
pub struct SampleFile {
    file: OutputFile,
    failed: Option<io::Error>,
    head: Option<Head>,
}

/// What stands above the rows.
#[derive(Clone, Debug)]
struct Head {
    naming: Naming,
    endpoints: Vec<String>,
}

impl SampleFile {
    /// Opens the file, so that an unwritable place is found before the run.
    pub fn create(path: &Path) -> Result<Self, FileError> {
        Ok(Self { file: OutputFile::create(path)?, failed: None, head: None })
    }

    /// The rows of one tick of a run of `plan`; `t0` is its start in nanoseconds of the monotonic clock.
    pub fn write(&mut self, plan: &Plan, naming: &Naming, t0: u64, deltas: &[Delta]) {
        if self.failed.is_none() {
            self.failed = self.try_write(plan, naming, t0, deltas).err();
        }
    }

    fn try_write(
        &mut self,
        plan: &Plan,
        naming: &Naming,
        t0: u64,
        deltas: &[Delta],
    ) -> io::Result<()> {
        if self.head.is_none() {
            let since = if plan.is_scheduled() { "intended" } else { "sent" };
            writeln!(
                self.file,
                "# lab-driver samples 1; t0_monotonic_ns={t0}; response_from={since}"
            )?;
            writeln!(self.file, "{COLUMNS}")?;
            let endpoints = plan.tasks.iter().map(|task| quoted(&task.name)).collect();
            self.head = Some(Head { naming: naming.clone(), endpoints });
        }
        let Some(head) = &self.head else { return Ok(()) };
        for sample in deltas.iter().flat_map(|delta| &delta.samples) {
            row(head, sample, &mut self.file)?;
        }
        Ok(())
    }

    /// Moves the file into its place; what went wrong on the way, if something did.
    pub fn finish(self) -> Result<(), FileError> {
        match self.failed {
            Some(error) => Err(self.file.failed(error)),
            None => self.file.finish(),
        }
    }
}

fn row(head: &Head, sample: &Sample, out: &mut impl Write) -> io::Result<()> {
    let Sample { user, index, intended, ready, sent, done, .. } = sample;
    let endpoint = &head.endpoints[usize::from(sample.task)];
    write!(
        out,
        "{},{endpoint},{user},{index},{},{},{},{},",
        head.naming.name(*user, *index),
        intended.0,
        ready.0,
        sent.0,
        done.0
    )?;
    let (status, bytes) = match sample.reply {
        Reply::Answered { status, bytes, .. } => (Some(status), bytes),
        Reply::Transport(_) | Reply::TimedOut | Reply::CutOff => (None, 0),
    };
    if let Some(status) = status {
        write!(out, "{status}")?;
    }
    writeln!(out, ",{},{bytes}", sample.failure.map_or("", word))
}

/// One word per kind of failure.
fn word(failure: Failure) -> &'static str {
    match failure {
        Failure::Transport(_) => "transport",
        Failure::TimedOut => "timed_out",
        Failure::CutOff => "cut_off",
        Failure::Status(_) => "status",
        Failure::Check => "check",
        Failure::Slow => "slow",
    }
}

/// A name as a field of CSV.
fn quoted(name: &str) -> String {
    if name.contains([',', '"', '\n', '\r']) || name.starts_with('#') {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::testing::{closed, open};
    use crate::engine::time::Ns;

    fn written(plan: &Plan) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.csv");
        let naming = Naming::of(plan, "k3".to_owned());
        let sample = |failure, reply| Sample {
            task: 0,
            user: 4,
            index: 17,
            intended: Ns(1_000),
            ready: Ns(2_000),
            sent: Ns(3_000),
            done: Ns(9_000),
            reply,
            failure,
        };
        let answered = Reply::Answered { status: 500, bytes: 12, body_matches: true };
        let samples = vec![
            sample(Some(Failure::Status(500)), answered),
            sample(Some(Failure::TimedOut), Reply::TimedOut),
        ];
        let mut file = SampleFile::create(&path).unwrap();
        file.write(plan, &naming, 77, &[Delta { samples, ..Delta::default() }]);
        file.write(plan, &naming, 77, &[]);
        file.finish().unwrap();
        std::fs::read_to_string(path).unwrap()
    }

    #[test]
    fn a_row_per_request_below_what_joins_them() {
        let mut plan = open(10.0, 5, 1);
        plan.tasks[0].name = "a,\"b\"".to_owned();
        insta::assert_snapshot!(written(&plan), @r#"
        # lab-driver samples 1; t0_monotonic_ns=77; response_from=intended
        request,endpoint,user,index,intended_ns,ready_ns,sent_ns,done_ns,status,failure,bytes
        k3-17,"a,""b""",4,17,1000,2000,3000,9000,500,status,12
        k3-17,"a,""b""",4,17,1000,2000,3000,9000,,timed_out,0
        "#);
    }

    #[test]
    fn users_number_their_own_requests() {
        let text = written(&closed(5, 1));
        assert!(
            text.contains("response_from=sent") && text.contains("\nk3-4.17,/,4,17,"),
            "{text}"
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_told_at_the_end() {
        let plan = open(10.0, 5, 1);
        let naming = Naming::of(&plan, "k3".to_owned());
        let mut file = SampleFile::create(Path::new("/dev/full")).unwrap();
        file.write(&plan, &naming, 0, &[]);
        file.write(&plan, &naming, 0, &[]);
        assert!(file.finish().unwrap_err().to_string().contains("/dev/full"));
    }
}
