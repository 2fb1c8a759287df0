//! `ramp`: one run per level, the lesson's table, and below it the knee with what was full and what was predicted.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{ArgMatches, ValueEnum};

use super::flags::{DriverFlags, LoadFlags, ResultFlags};
use super::outputs::{self, RunFiles};
use super::run::level_label;
use super::session::{Session, fresh_seed};
use super::{Exit, Refusal};
use crate::engine::record::{Mode, RunRecord, RunSet, SCHEMA, SetKind};
use crate::engine::rows::Show;
use crate::engine::verdict::{Outcome, Verdict};
use crate::engine::warning::Warning;
use crate::render::files::OutputFile;
use crate::render::{json, ramp, verdict};
use crate::scenario::{self, Loaded, Mistakes, Place, csv_stem};
use crate::sim::ramp::analyse;
use crate::sim::targets;

/// One run per level, then the knee, what was full, and what theory predicts.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  lab-driver ramp 10 20 40 60 80
  lab-driver ramp 40 60 80 --virtual --model report_pool=4
  lab-driver ramp --by rate 40 60 72 76 100 -t 20s")]
pub(super) struct Args {
    /// Levels, ascending: numbers of users, or arrivals per second
    #[arg(value_name = "LEVEL", required = true, num_args = 1..)]
    levels: Vec<String>,
    /// What the levels are
    #[arg(long, value_enum, default_value = "users", env = "LAB_BY")]
    by: By,
    #[command(flatten)]
    load: LoadFlags,
    #[command(flatten)]
    driver: DriverFlags,
    #[command(flatten)]
    results: ResultFlags,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum By {
    /// Users who wait for each answer
    Users,
    /// Arrivals per second
    Rate,
}

pub(super) fn run(args: &Args, order: Option<&ArgMatches>) -> Result<Exit, Refusal> {
    let mut mistakes = Mistakes::default();
    let statistics = args.results.statistics(&mut mistakes);
    let levels = plans(args, order, mistakes)?;
    let hardest =
        levels.iter().max_by_key(|loaded| loaded.plan.slots()).expect("clap asks for a level");
    let session = Session::open(hardest, args.load.virtual_time, &args.driver, args.results.quiet)?;
    let (set_files, run_files) = open_files(args, &levels)?;
    let mut runs: Vec<RunRecord> = Vec::new();
    let mut failed = Vec::new();
    let mut broken_off = None;
    for (loaded, files) in levels.iter().zip(run_files) {
        // Higher levels would only break an abort rule sooner.
        if session.is_interrupted() || runs.last().is_some_and(|run| run.aborted.is_some()) {
            break;
        }
        let label = level_label(&loaded.plan);
        outputs::print_users_needed(&format!("{label} "), &loaded.plan, &args.results);
        match session.run(&loaded.plan, &label) {
            Ok(record) => {
                // Each run is on disk before the next begins.
                failed.extend(files.fill(&record));
                runs.push(record);
            }
            Err(refusal) if runs.is_empty() => return Err(refusal),
            // A target that goes away between two levels does not take with it what has been measured.
            Err(refusal) => {
                broken_off = Some((label, refusal));
                break;
            }
        }
    }
    let set = conclude(args.by, runs, broken_off.as_ref());
    for file in set_files {
        failed.extend(file.finish_with(|out| json::write(&set, out)).err());
    }
    print(&set, &statistics, args);
    outputs::complain_of(&failed);
    if let Some((label, refusal)) = broken_off {
        super::complain(&format!("{label} did not run: {refusal}"));
        return Ok(refusal.exit());
    }
    let exit = Exit::of(&set.verdict, &set.runs, args.results.exit_code_on_threshold);
    Ok(exit.if_kept(failed.is_empty()))
}

/// The plan of each level; all mistakes of all levels at once, each said once.
fn plans(
    args: &Args,
    order: Option<&ArgMatches>,
    mut mistakes: Mistakes,
) -> Result<Vec<Loaded>, Mistakes> {
    let seed = fresh_seed();
    let mut plans = Vec::new();
    for level in &args.levels {
        let mut overrides = args.load.overrides(order);
        match args.by {
            By::Users => overrides.users = Some(level.clone()),
            By::Rate => overrides.rate = Some(level.clone()),
        }
        match scenario::load(&overrides, seed, &targets::check) {
            Ok(loaded) => plans.push(loaded),
            Err(found) => mistakes = mistakes.and(found),
        }
    }
    let heights: Vec<f64> = plans.iter().map(|loaded| loaded.plan.load.peak()).collect();
    if heights.windows(2).any(|pair| pair[0] >= pair[1]) {
        mistakes.add(
            &Place::named("LEVEL"),
            format!("the levels {} do not ascend", args.levels.join(" ")),
            "a knee is read from rising load: write them in order, each once",
        );
    }
    mistakes.or(plans)
}

fn open_files(args: &Args, levels: &[Loaded]) -> Result<(Vec<OutputFile>, Vec<RunFiles>), Refusal> {
    let mut set = Vec::from_iter(args.results.json.clone());
    let mut runs = Vec::new();
    for loaded in levels {
        let stem = args.load.scenario_name().unwrap_or(&loaded.plan.name);
        let stem = format!("{}-{}", csv_stem(stem), level_label(&loaded.plan));
        let folder = args.results.out.as_ref();
        runs.push(RunFiles::with_folder(folder, &stem, Vec::new(), Vec::new())?);
    }
    if let (Some(folder), Some(first)) = (&args.results.out, levels.first()) {
        let stem = args.load.scenario_name().unwrap_or(&first.plan.name);
        set.push(folder.join(format!("{}-ramp.json", csv_stem(stem))));
    }
    let set: Result<Vec<_>, _> =
        set.iter().map(|file: &PathBuf| OutputFile::create(file)).collect();
    Ok((set.map_err(|error| outputs::unwritable(&error))?, runs))
}

fn conclude(by: By, runs: Vec<RunRecord>, broken_off: Option<&(String, Refusal)>) -> RunSet {
    let mut verdicts: Vec<Verdict> = runs.iter().map(labelled).collect();
    if let Some((label, refusal @ Refusal::Environment(_))) = broken_off {
        let reasons = vec![format!("{label} did not run: {refusal}")];
        verdicts.push(Verdict { outcome: Outcome::Fail, reasons });
    }
    RunSet {
        schema: SCHEMA,
        kind: match by {
            By::Users => SetKind::RampByUsers,
            By::Rate => SetKind::RampByRate,
        },
        analysis: Some(analyse(&runs)),
        verdict: Verdict::gravest(&verdicts),
        runs,
        notes: std::collections::BTreeMap::new(),
    }
}

/// The verdict of one of several runs: each reason says whose it is.
fn labelled(run: &RunRecord) -> Verdict {
    let reasons = run.verdict.reasons.iter().map(|reason| format!("{}: {reason}", run.label));
    Verdict { outcome: run.verdict.outcome, reasons: reasons.collect() }
}

fn print(set: &RunSet, statistics: &[(String, crate::engine::claim::Stat)], args: &Args) {
    let runs: Vec<&RunRecord> = set.runs.iter().collect();
    outputs::print_table(&runs, Show::EndpointsOnly, statistics, &args.results);
    outputs::to_table(&args.results, |out| {
        writeln!(out)?;
        set.analysis.as_ref().map_or(Ok(()), |analysis| ramp::write(analysis, set.kind, out))?;
        let Some(first) = set.runs.first() else { return Ok(()) };
        writeln!(out)?;
        for run in set.runs.iter().filter(|run| run.plan.is_scheduled()) {
            write!(out, "{} ", run.label)?;
            crate::render::pace::write(run, out)?;
        }
        for run in set.runs.iter().filter(|run| run.mode == Mode::Live) {
            write!(out, "{} ", run.label)?;
            crate::render::health::write(run, out)?;
        }
        crate::render::machine::write(&first.machine, first.mode, out)?;
        writeln!(out, "seed {}; repeat the same starts with --seed {0}", first.plan.seed)
    });
    outputs::to_stderr(|out| {
        if let Some(run) = set.runs.last().filter(|run| run.aborted.is_some()) {
            writeln!(out, "warning: {} was aborted, so higher levels were not run", run.label)?;
        }
        write_warnings(set, out)
    });
    let style = outputs::stdout_style();
    outputs::to_stdout(|out| {
        for run in &set.runs {
            verdict::write_aborts(&format!("{} ", run.label), run, style, out)?;
            for threshold in &run.thresholds {
                write!(out, "{} ", run.label)?;
                verdict::write_threshold(threshold, run.verdict.outcome, style, out)?;
            }
        }
        let judged =
            set.runs.iter().any(|run| !run.thresholds.is_empty() || !run.plan.aborts.is_empty());
        verdict::write_verdict(&set.verdict, judged, style, out)
    });
}

/// What all runs are warned of once, the rest with the run's label.
fn write_warnings(set: &RunSet, out: &mut dyn Write) -> io::Result<()> {
    let common = |warning: &&Warning| set.runs.iter().all(|run| run.warnings.contains(warning));
    let first = set.runs.first().into_iter().flat_map(|run| &run.warnings);
    verdict::write_warnings("", first.filter(common), out)?;
    set.runs.iter().try_for_each(|run| {
        let own = run.warnings.iter().filter(|warning| !common(warning));
        verdict::write_warnings(&format!("{}: ", run.label), own, out)
    })
}
