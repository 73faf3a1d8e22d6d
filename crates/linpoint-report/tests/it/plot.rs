//! Plots, without a browser: well-formed, complete, and small for any number of operations.

use linpoint_report::plot::{Axis, Ending, Fault, Place, Plot, Point, render};

use crate::support::{artefacts, well_formed};

/// Operations of a service, in seconds. Some writes fail, some never return, and there is a pause in the middle.
pub fn service(operations: usize) -> Plot {
    let mut rng = fastrand::Rng::with_seed(7);
    let mut points = Vec::with_capacity(operations);
    for number in 0..operations {
        let share = number as f64 / operations as f64;
        let start = 60.0 * share + rng.f64() * 0.01;
        let slow = if (0.4..0.5).contains(&share) { 40.0 } else { 1.0 };
        let name = rng.u32(0..3);
        let latency = 1e-3 * slow * f64::from(name + 1) * (rng.f64() * 2.5).exp();
        let (end, ending) = match rng.u32(0..200) {
            0..6 if name == 1 => (start + latency, Ending::Failed),
            6..8 => (f64::INFINITY, Ending::Unknown),
            8..10 => (start + 5.0, Ending::Unknown),
            _ => (start + latency, Ending::Ok),
        };
        points.push(Point { start, end, name, ending });
    }
    let names = ["read", "write", "cas"].map(str::to_owned).to_vec();
    let fault = |text: &str, from, to| Fault { text: text.to_owned(), from, to };
    let faults = vec![
        fault("nemesis: partition [n1 n2] | [n3]", 24.0, Some(30.0)),
        fault("server 3: became leader", 25.0, None),
        fault("nemesis: kill n2", 48.0, Some(52.0)),
    ];
    Plot { axis: Axis::Seconds, names, points, faults }
}

/// The data of all paths that have exactly these classes.
fn paths(svg: &str, class: &str) -> Vec<String> {
    let start = format!("<path class=\"{class}\" d=\"");
    let data = |rest: &str| rest.split('"').next().unwrap_or_default().to_owned();
    svg.split(&start).skip(1).map(data).collect()
}

fn has(plot: &Plot, name: u32, chosen: impl Fn(&Point) -> bool) -> usize {
    plot.points.iter().filter(|point| point.name == name && chosen(point)).count()
}

#[test]
fn few_operations_are_drawn_one_by_one() {
    let plot = service(900);
    let svg = render(&plot, Place::File("run <1> & \"2\".edn"));
    std::fs::write(artefacts().join("plot-few.svg"), &svg).unwrap();
    well_formed(&svg);
    // Panels are in the order of their sizes.
    let mut names: Vec<u32> = vec![0, 1, 2];
    names.sort_by_key(|name| std::cmp::Reverse(has(&plot, *name, |_| true)));
    for (colour, name) in names.into_iter().enumerate() {
        let dots = paths(&svg, &format!("dots kind-{colour}")).concat().matches("h0").count();
        assert_eq!(dots, has(&plot, name, |point| point.ending == Ending::Ok));
    }
    let failed = paths(&svg, "failed").concat().matches("l5 5").count();
    assert_eq!(failed, has(&plot, 1, |point| point.ending == Ending::Failed));
    let unknown = paths(&svg, "unknown").concat().matches("v7").count();
    let expected = plot.points.iter().filter(|point| point.ending == Ending::Unknown).count();
    assert_eq!(unknown, expected);
    assert_eq!(paths(&svg, "fault").len(), 2);
    assert_eq!(paths(&svg, "moment").len(), 3);
    assert!(svg.contains("run &lt;1&gt; &amp; &quot;2&quot;.edn"), "{svg}");
    for part in ["time since the first call", "operations per second", "open operations", "never"] {
        assert!(svg.contains(part), "{part}");
    }
}

#[test]
fn the_size_does_not_depend_on_the_number_of_operations() {
    let sizes = [20_000, 300_000].map(|operations| {
        let svg = render(&service(operations), Place::File("service"));
        std::fs::write(artefacts().join(format!("plot-{operations}.svg")), &svg).unwrap();
        well_formed(&svg);
        // No operation that returned is drawn alone.
        assert!(!svg.contains("class=\"dots"));
        for (class, count) in [("wide", 3), ("narrow", 3), ("median", 3), ("most", 3)] {
            let found: usize =
                (0..3).map(|kind| paths(&svg, &format!("{class} kind-{kind}")).len()).sum();
            assert_eq!(found, count, "{class}");
        }
        svg.len()
    });
    assert!(sizes.iter().all(|size| *size < 120_000), "{sizes:?}");
    assert!(sizes[1] < sizes[0] * 3 / 2, "{sizes:?}");
}

#[test]
fn histories_without_times_say_so_on_the_axis() {
    let plot = Plot { axis: Axis::Positions, ..service(50) };
    let svg = render(&plot, Place::Page);
    well_formed(&svg);
    assert!(svg.contains("position in the file, which has no times"), "{svg}");
    assert!(svg.contains("duration in calls and returns"), "{svg}");
    let svg = render(&Plot { axis: Axis::Clock, ..service(50) }, Place::Page);
    assert!(svg.contains("in the unit of the file"), "{svg}");
    // The style is that of the page.
    assert!(!svg.contains("<style") && !svg.contains("xmlns"));
}

#[test]
fn anything_can_be_plotted() {
    let point = |start, end, ending| Point { start, end, name: 0, ending };
    let of = |points: Vec<Point>| Plot {
        names: vec!["\u{1b}<x>".to_owned()],
        points,
        ..Plot::default()
    };
    for plot in [
        Plot::default(),
        of(vec![point(0.0, 0.0, Ending::Ok)]),
        of(vec![point(5.0, f64::INFINITY, Ending::Unknown)]),
        of(vec![point(1e300, 1e301, Ending::Failed), point(0.0, 1e-300, Ending::Ok)]),
        // A name that does not exist.
        Plot {
            points: vec![Point { start: 0.0, end: 1.0, name: 9, ending: Ending::Ok }],
            ..Plot::default()
        },
        Plot {
            names: (0..40).map(|n| format!("op {n}")).collect(),
            ..of((0..900)
                .map(|n| Point {
                    name: n % 40,
                    ..point(f64::from(n), f64::from(n + 3), Ending::Ok)
                })
                .collect())
        },
        Plot {
            faults: (0..2_000)
                .map(|n| Fault {
                    text: "f".repeat(300),
                    from: f64::from(n),
                    to: Some(f64::from(n) + 1.5),
                })
                .collect(),
            ..service(100)
        },
    ] {
        let svg = render(&plot, Place::File("odd"));
        well_formed(&svg);
        assert!(!svg.contains("NaN") && !svg.contains("inf\""), "{svg}");
    }
    let many: Vec<Point> =
        (0..10_000).map(|n| point(f64::from(n), f64::from(n) + 2.0, Ending::Failed)).collect();
    let svg = render(&of(many), Place::Page);
    assert!(svg.len() < 30_000, "{}", svg.len());
}

#[test]
fn the_largest_number_of_open_operations_is_exact() {
    // 100 operations, of which at most three overlap.
    let points = (0..100).map(|n| Point {
        start: f64::from(n),
        end: f64::from(n) + 2.5,
        name: 0,
        ending: Ending::Ok,
    });
    let plot = Plot { names: vec!["op".to_owned()], points: points.collect(), ..Plot::default() };
    let svg = render(&plot, Place::Page);
    assert!(svg.contains("at most 3<"), "{svg}");
}
