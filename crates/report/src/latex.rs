use crate::gather::Report;
use crate::results::TaskResults;
use ambler_evaluate::report::p_value;
use ambler_evaluate::{Estimate, Group};

/// Columns of the results: title, direction of better values, measure, decimals.
const MEASURES: [(&str, &str, &str, usize); 4] = [
    ("SR", r"$\uparrow$", "success", 3),
    ("SPL", r"$\uparrow$", "spl", 3),
    ("SoftSPL", r"$\uparrow$", "soft_spl", 3),
    ("DTG (m)", r"$\downarrow$", "distance_to_goal", 2),
];

/// Tables for a paper, to be read with `\input`: for each task the results of all runs with 95 % bootstrap
/// intervals, their comparison, and the categories that each finds best. Needs the package `booktabs`.
pub fn latex(report: &Report, results: &[TaskResults]) -> String {
    let mut out = String::from("% Tables of `ambler report`. In the preamble: \\usepackage{booktabs}\n");
    for task in results {
        out += &format!("\n% {}: results\n", comment(&task.task));
        out += &results_table(report, task);
        if !task.pairs.is_empty() {
            out += &format!("\n% {}: runs compared episode by episode\n", comment(&task.task));
            out += &comparison_table(report, task);
        }
        let best: Vec<_> = (0..report.runs.len()).map(|run| task.best(run)).collect();
        if best.iter().any(|best| !best.is_empty()) {
            out += &format!(
                "\n% {}: categories found best, with at least 2 successes\n",
                comment(&task.task)
            );
            out += &best_table(report, &best);
        }
    }
    out
}

fn results_table(report: &Report, task: &TaskResults) -> String {
    let mut out = String::from("\\begin{tabular}{lrrrrr}\n\\toprule\nAgent & $n$");
    for (title, better, ..) in MEASURES {
        out += &format!(" & {title} {better}");
    }
    out += " \\\\\n\\midrule\n";
    for (run, named) in report.runs.iter().enumerate() {
        let Some(group) = task.group(run) else { continue };
        out += &format!("{} & {}", escaped(&named.label), group.valid);
        for (_, _, name, digits) in MEASURES {
            out += &format!(" & {}", cell(group, name, digits));
        }
        out += " \\\\\n";
    }
    out + "\\bottomrule\n\\end{tabular}\n"
}

fn comparison_table(report: &Report, task: &TaskResults) -> String {
    let mut out = String::from("\\begin{tabular}{lrrrrrr}\n\\toprule\n");
    out += "Runs & pairs & $\\Delta$SR & McNemar $p$ & mid-$p$ & Holm & $\\Delta$SPL \\\\\n\\midrule\n";
    for pair in &task.pairs {
        let name = |run: usize| escaped(&report.runs[run].label);
        let difference = |measure: &str| {
            let found = pair.comparison.measures.iter().find(|found| found.name == measure);
            match found.and_then(|found| Some((found.difference?, found.interval))) {
                Some((value, Some([low, high]))) => {
                    format!("${value:+.3}$ {{\\scriptsize $[{low:+.3}, {high:+.3}]$}}")
                }
                Some((value, None)) => format!("${value:+.3}$"),
                None => "--".to_owned(),
            }
        };
        let test = &pair.comparison.mcnemar;
        let p = |p: f64| format!("${}$", p_value(p));
        out += &format!(
            "{} $\\to$ {} & {} & {} & {} & {} & {} & {} \\\\\n",
            name(pair.first),
            name(pair.second),
            pair.comparison.pairs,
            difference("success"),
            p(test.exact),
            p(test.mid_p),
            p(pair.corrected),
            difference("spl"),
        );
    }
    out + "\\bottomrule\n\\end{tabular}\n"
}

fn best_table(report: &Report, best: &[Vec<crate::Best>]) -> String {
    let shown: Vec<usize> = (0..best.len()).filter(|&run| !best[run].is_empty()).collect();
    let mut out = format!("\\begin{{tabular}}{{l{}}}\n\\toprule\n", "l".repeat(shown.len()));
    for &run in &shown {
        out += &format!(" & {}", escaped(&report.runs[run].label));
    }
    out += " \\\\\n\\midrule\n";
    for rank in 0..crate::results::BEST {
        out += &format!("Top-{}", rank + 1);
        for &run in &shown {
            match best[run].get(rank) {
                Some(found) => out += &format!(" & {} ({:.3})", escaped(&found.category), found.success),
                None => out += " & --",
            }
        }
        out += " \\\\\n";
    }
    out + "\\bottomrule\n\\end{tabular}\n"
}

fn cell(group: &Group, name: &str, digits: usize) -> String {
    match group.estimate(name) {
        Some(Estimate { mean: Some(mean), interval: Some(interval), .. }) => format!(
            "{mean:.digits$} {{\\scriptsize $[{:.digits$}, {:.digits$}]$}}",
            interval.low, interval.high
        ),
        Some(Estimate { mean: Some(mean), .. }) => format!("{mean:.digits$}"),
        _ => "--".to_owned(),
    }
}

/// Text that LaTeX sets as it is.
pub fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\\' => out += r"\textbackslash{}",
            '~' => out += r"\textasciitilde{}",
            '^' => out += r"\textasciicircum{}",
            '<' => out += r"\textless{}",
            '>' => out += r"\textgreater{}",
            '|' => out += r"\textbar{}",
            '"' => out += "''",
            '·' => out += r"\textperiodcentered{}",
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                out.push('\\');
                out.push(c);
            }
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// Text that stays in its comment.
fn comment(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
