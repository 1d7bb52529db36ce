//! Who calls whom, read from the source: enough of it to follow a handler to the guard of outgoing money.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fs,
    path::Path,
};
use syn::{
    Attribute, Expr, FnArg, ItemFn, Signature, UseTree,
    visit::{self, Visit},
};
use walkdir::WalkDir;

/// A function: what it calls and what it says about itself.
#[derive(Default)]
struct Function {
    calls: BTreeSet<String>,
    /// Methods and paths of its routes.
    routes: Vec<(String, String)>,
    takes_verdict: bool,
    moves_out: bool,
}

/// All functions by their full path.
pub struct House(BTreeMap<String, Function>);

impl House {
    pub fn read(root: &Path) -> Self {
        let files: Vec<(String, String)> = WalkDir::new(root)
            .into_iter()
            .filter_map(Result::ok)
            .filter(|e| e.path().extension().is_some_and(|x| x == "rs"))
            .map(|e| {
                let path = e.path().strip_prefix(root).unwrap();
                (
                    path.to_string_lossy().replace('\\', "/"),
                    fs::read_to_string(e.path()).unwrap(),
                )
            })
            .collect();
        let files: Vec<(&str, &str)> = files.iter().map(|(p, t)| (p.as_str(), t.as_str())).collect();
        Self::of(&files)
    }

    pub fn of(files: &[(&str, &str)]) -> Self {
        let mut functions = BTreeMap::new();
        for (path, text) in files {
            let module: Vec<String> = path
                .trim_end_matches(".rs")
                .split('/')
                .filter(|part| *part != "mod" && *part != "lib")
                .map(str::to_owned)
                .collect();
            let file = syn::parse_file(text).unwrap_or_else(|e| panic!("{path}: {e}"));
            let mut names = Names {
                module: module.clone(),
                known: HashMap::new(),
            };
            names.visit_file(&file);
            let mut reader = Reader {
                names,
                functions: &mut functions,
                current: None,
            };
            reader.visit_file(&file);
        }
        Self(functions)
    }

    /// The handlers of a route.
    pub fn handlers(&self, method: &str, path: &str) -> Vec<String> {
        self.0
            .iter()
            .filter(|(_, f)| f.routes.iter().any(|(m, p)| m == method && p == path))
            .map(|(name, _)| name.clone())
            .collect()
    }

    /// Every function from which a call leads there.
    pub fn reaching(&self, target: &str) -> BTreeSet<String> {
        let mut found = BTreeSet::from([target.to_owned()]);
        loop {
            let more: Vec<String> = self
                .0
                .iter()
                .filter(|(name, f)| !found.contains(*name) && f.calls.iter().any(|c| found.contains(c)))
                .map(|(name, _)| name.clone())
                .collect();
            if more.is_empty() {
                return found;
            }
            found.extend(more);
        }
    }

    /// What books outgoing money, or lets held money go, without a verdict among its parameters.
    pub fn moves_out_without_a_verdict(&self) -> Vec<String> {
        self.0
            .iter()
            .filter(|(name, f)| f.moves_out && !f.takes_verdict && !name.starts_with("ledger::"))
            .map(|(name, _)| format!("{name} moves money out without the guard's word"))
            .collect()
    }
}

/// What names of a file stand for.
struct Names {
    module: Vec<String>,
    known: HashMap<String, Vec<String>>,
}

impl Names {
    fn absolute(&self, path: &[String]) -> Option<Vec<String>> {
        let mut module = self.module.clone();
        let mut rest = path;
        match path.first()?.as_str() {
            "crate" => return Some(path[1..].to_vec()),
            "self" => rest = &path[1..],
            "super" => {
                while rest.first().is_some_and(|p| p == "super") {
                    module.pop();
                    rest = &rest[1..];
                }
            }
            first => {
                return match self.known.get(first) {
                    Some(full) => Some([full.as_slice(), &path[1..]].concat()),
                    None if path.len() == 1 => Some([module.as_slice(), path].concat()),
                    None => None,
                };
            }
        }
        Some([module.as_slice(), rest].concat())
    }

    fn take(&mut self, tree: &UseTree, before: &[String]) {
        match tree {
            UseTree::Path(path) => {
                let mut before = before.to_vec();
                before.push(path.ident.to_string());
                self.take(&path.tree, &before);
            }
            UseTree::Group(group) => {
                for one in &group.items {
                    self.take(one, before);
                }
            }
            UseTree::Name(name) if name.ident == "self" => {
                if let Some(last) = before.last().cloned() {
                    self.learn(last, before.to_vec());
                }
            }
            UseTree::Name(name) => {
                let mut full = before.to_vec();
                full.push(name.ident.to_string());
                self.learn(name.ident.to_string(), full);
            }
            UseTree::Rename(rename) => {
                let mut full = before.to_vec();
                if rename.ident != "self" {
                    full.push(rename.ident.to_string());
                }
                self.learn(rename.rename.to_string(), full);
            }
            UseTree::Glob(_) => {}
        }
    }

    fn learn(&mut self, name: String, full: Vec<String>) {
        let inside = matches!(full.first().map(String::as_str), Some("crate" | "self" | "super"));
        if inside && let Some(full) = self.absolute(&full) {
            self.known.insert(name, full);
        }
    }
}

impl<'a> Visit<'a> for Names {
    fn visit_item_use(&mut self, item: &'a syn::ItemUse) {
        self.take(&item.tree, &[]);
    }
    fn visit_item_mod(&mut self, item: &'a syn::ItemMod) {
        if item.content.is_none() {
            // A module of this one may be called by its name.
            let full = [self.module.as_slice(), &[item.ident.to_string()]].concat();
            self.known.insert(item.ident.to_string(), full);
        }
    }
}

struct Reader<'f> {
    names: Names,
    functions: &'f mut BTreeMap<String, Function>,
    current: Option<String>,
}

fn words(path: &syn::Path) -> Vec<String> {
    path.segments.iter().map(|s| s.ident.to_string()).collect()
}

fn routes(attributes: &[Attribute]) -> Vec<(String, String)> {
    attributes
        .iter()
        .filter_map(|a| {
            let method = a.path().get_ident()?.to_string().to_uppercase();
            let path: syn::LitStr = a.parse_args().ok()?;
            ["GET", "POST", "PATCH", "PUT", "DELETE"]
                .contains(&method.as_str())
                .then(|| (method, path.value()))
        })
        .collect()
}

impl Reader<'_> {
    fn enter(&mut self, signature: &Signature, attributes: &[Attribute], body: impl FnOnce(&mut Self)) {
        let name = [self.names.module.as_slice(), &[signature.ident.to_string()]]
            .concat()
            .join("::");
        let takes_verdict = signature.inputs.iter().any(|input| {
            let mut seen = SeesVerdict(false);
            if let FnArg::Typed(typed) = input {
                seen.visit_type(&typed.ty);
            }
            seen.0
        });
        let function = self.functions.entry(name.clone()).or_default();
        function.routes.extend(routes(attributes));
        function.takes_verdict |= takes_verdict;
        let outer = self.current.replace(name);
        body(self);
        self.current = outer;
    }

    fn now(&mut self) -> Option<&mut Function> {
        let name = self.current.clone()?;
        self.functions.get_mut(&name)
    }
}

struct SeesVerdict(bool);
impl<'a> Visit<'a> for SeesVerdict {
    fn visit_path(&mut self, path: &'a syn::Path) {
        self.0 |= path.segments.last().is_some_and(|s| s.ident == "Verdict");
        visit::visit_path(self, path);
    }
}

/// Kinds of ledger transfers that let money go to somebody else.
const OUT: [&str; 3] = ["UserTransfer", "WithdrawalPix", "WithdrawalChain"];

impl<'a> Visit<'a> for Reader<'_> {
    fn visit_item_mod(&mut self, item: &'a syn::ItemMod) {
        // Tests stand inside.
        if item.ident != "tests" {
            visit::visit_item_mod(self, item);
        }
    }
    fn visit_item_fn(&mut self, item: &'a ItemFn) {
        self.enter(&item.sig, &item.attrs, |this| visit::visit_item_fn(this, item));
    }
    fn visit_impl_item_fn(&mut self, item: &'a syn::ImplItemFn) {
        self.enter(&item.sig, &item.attrs, |this| {
            visit::visit_impl_item_fn(this, item);
        });
    }
    fn visit_expr_struct(&mut self, made: &'a syn::ExprStruct) {
        // Whoever makes a warrant lets the hot wallet pay.
        if made.path.segments.last().is_some_and(|s| s.ident == "Warrant")
            && let Some(function) = self.now()
        {
            function.moves_out = true;
        }
        visit::visit_expr_struct(self, made);
    }
    fn visit_expr_call(&mut self, call: &'a syn::ExprCall) {
        if let Expr::Path(path) = &*call.func {
            let called = words(&path.path);
            let full = self.names.absolute(&called).map(|p| p.join("::"));
            let ends =
                |with: &[&str]| called.ends_with(&with.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>());
            let out_kind = ends(&["Transfer", "new"])
                && matches!(call.args.first(), Some(Expr::Path(kind))
                    if kind.path.segments.last().is_some_and(|s| OUT.iter().any(|o| s.ident == o)));
            // Deposits let held money go to their own user; withdrawals and transfers to others. Over the chain money goes
            // with the warrant to sign; what is booked for it later has left.
            let lets_go = ends(&["post_hold"])
                && self.current.as_deref().is_some_and(|c| {
                    ["transfers::", "payouts::", "pix::"]
                        .iter()
                        .any(|room| c.starts_with(room))
                });
            if let Some(function) = self.now() {
                function.calls.extend(full);
                function.moves_out |= out_kind || lets_go;
            }
        }
        visit::visit_expr_call(self, call);
    }
}
