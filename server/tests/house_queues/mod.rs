//! The walls of the table of queues (`protocol::queue`): what stands there stands nowhere else by hand.

use super::files;
use protocol::{Permission, Queue};
use regex::Regex;
use server::{identity::gate::Access, routes::ROUTES};
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

#[test]
fn a_queues_list_is_for_those_who_see_the_queue() {
    for queue in Queue::ALL {
        let row = queue.row();
        let route = ROUTES.iter().find(|r| r.method == "GET" && r.path == row.list);
        let access = route.map(|r| r.access);
        assert_eq!(access, Some(Access::Permission(row.permission)), "{}", row.list);
        assert_ne!(row.permission, Permission::RegisteredUser, "{queue:?}");
    }
}

/// A line of the route table, as it is written: method, path, and what it asks for.
struct Line {
    method: String,
    path: String,
    access: String,
}

impl Line {
    fn all() -> Vec<Self> {
        let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/routes.rs");
        let line = Regex::new(r#"(?m)^    (\w+) +"(/[^"]*)" +(.*);$"#).unwrap();
        line.captures_iter(&fs::read_to_string(table).unwrap())
            .map(|found| Self {
                method: found[1].to_owned(),
                path: found[2].to_owned(),
                access: found[3].to_owned(),
            })
            .collect()
    }

    /// The queue that it asks the table for, by this word: `sees`, `decides`.
    fn queue(&self, word: &str) -> Option<&str> {
        let rest = self.access.strip_prefix(word)?.strip_prefix('(')?;
        rest.split_once(')').map(|(queue, _)| queue)
    }

    /// Its handlers, each with its file. One path may have two, of which one is built.
    fn handlers<'f>(&self, files: &'f [(PathBuf, String, String)]) -> Vec<(&'f Path, &'f str)> {
        let attribute = format!("#[{}(\"{}\")]", self.method.to_lowercase(), self.path);
        files
            .iter()
            .filter_map(|(file, _, code)| {
                let (_, rest) = code.split_once(&attribute)?;
                Some((file.as_path(), rest.split("\n}").next().unwrap_or_default()))
            })
            .collect()
    }
}

/// How often a handler asks for a permission, and how often it asks the table for this queue's.
fn asked(handler: &str, queue: &str, column: &str) -> (usize, usize) {
    let of_queue = Regex::new(&format!(
        r"\.staff\((?:protocol::)?Queue::{queue}\.{column}\(\)\)"
    ))
    .unwrap();
    let asks = handler.matches(".staff(").count() + handler.matches("permissions.holds(").count();
    (asks, of_queue.find_iter(handler).count())
}

/// Who sees a queue is asked of the table by the route and by the handler of its list, for the same queue.
#[test]
fn a_queues_list_asks_the_table() {
    let (files, lines) = (files(), Line::all());
    let mut wrong = Vec::new();
    for queue in Queue::ALL {
        let (list, name) = (queue.row().list, format!("{queue:?}"));
        let of_list = |line: &&Line| line.method == "GET" && line.path == list;
        let route = lines.iter().find(of_list).and_then(|line| line.queue("sees"));
        if route != Some(&name) {
            wrong.push(format!("GET {list} does not say that it shows {name}"));
        }
    }
    let mut found = 0;
    for line in &lines {
        let Some(queue) = line.queue("sees") else {
            continue;
        };
        for (file, handler) in line.handlers(&files) {
            found += 1;
            let (asks, of_queue) = asked(handler, queue, "permission");
            if asks == 0 || asks != of_queue {
                wrong.push(format!("{} asks for GET {} by hand", file.display(), line.path));
            }
        }
    }
    assert!(found >= Queue::ALL.len(), "the handlers are found");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Who decides is asked of the table by the route and by its handler, for the same queue.
#[test]
fn a_decision_is_for_those_who_decide_in_its_queue() {
    let decision = Regex::new(r"approve|reject|/agree$|/confirm$|pay-bonus|compliance/cases").unwrap();
    let files = files();
    let mut found = BTreeSet::new();
    let mut wrong = Vec::new();
    for line in Line::all() {
        let (method, path) = (&line.method, &line.path);
        let Some(queue) = line.queue("decides") else {
            if path.starts_with("/admin/") && method != "GET" && decision.is_match(path) {
                wrong.push(format!("{method} {path} does not say in which queue it decides"));
            }
            continue;
        };
        found.insert(queue.to_owned());
        for (file, handler) in line.handlers(&files) {
            let (asks, of_queue) = asked(handler, queue, "decides");
            if asks != of_queue {
                wrong.push(format!("{} asks for {method} {path} by hand", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let all: BTreeSet<String> = Queue::ALL.iter().map(|q| format!("{q:?}")).collect();
    assert_eq!(found, all, "every queue is decided in somewhere");
}

#[test]
fn every_counter_says_what_waits() {
    let store = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/reports/waiting/store.rs");
    let text = fs::read_to_string(store).unwrap();
    let counted = Regex::new(r"SELECT '(\w+)',").unwrap();
    let counted: BTreeSet<&str> = counted
        .captures_iter(&text)
        .map(|c| c.get(1).unwrap().as_str())
        .collect();
    let table = Queue::ALL.iter().filter_map(|q| q.row().counter).collect();
    assert_eq!(counted, table);
}

/// A queue that shares another's stream has none of its own: nobody could listen to it.
#[test]
fn facts_are_told_on_streams_that_there_are() {
    let told =
        Regex::new(r"(?:StreamId::Queue\(\s*|const QUEUE: Queue = )(?:protocol::)?Queue::(\w+)").unwrap();
    let mut found = 0;
    let mut wrong = Vec::new();
    for (path, _, code) in files() {
        for name in told.captures_iter(&code) {
            found += 1;
            let streams = |q: &&Queue| q.streams() && format!("{q:?}") == name[1];
            if !Queue::ALL.iter().any(|q| streams(&q)) {
                wrong.push(format!("{} tells {}", path.display(), &name[1]));
            }
        }
    }
    assert!(found > 8, "the tellers are found");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Names that are words of the language, or of other things too, cannot be told apart; a list's file may be called like its queue.
#[test]
fn a_queues_name_stands_in_the_table_alone() {
    let pool_revenue = Queue::PoolRevenue.row().counter;
    let names: BTreeSet<&str> = Queue::ALL
        .iter()
        .flat_map(|q| {
            [
                Some(q.as_str()),
                q.row().counter.filter(|_| q.row().counter != pool_revenue),
            ]
        })
        .flatten()
        .filter(|name| name.contains(['-', '_']))
        .collect();
    assert!(names.len() >= 8, "{names:?}");
    let literal = Regex::new(r#""([^"\n]*)""#).unwrap();
    let mut wrong = Vec::new();
    for (path, _, code) in files() {
        if path.ends_with("store.rs") {
            continue;
        }
        for line in code.lines().filter(|l| !l.trim_start().starts_with("name: ")) {
            for text in literal.captures_iter(line) {
                if names.contains(&text[1])
                    || text[1].starts_with("queue:")
                    || text[1].starts_with("queue_old_")
                {
                    wrong.push(format!("{} writes {}", path.display(), &text[1]));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
