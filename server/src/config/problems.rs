//! Collects everything that is wrong, so that an operator repairs it in one go.

use super::World;

/// What is missing or wrong, one sentence part each.
#[derive(Debug, Default)]
pub struct Problems(Vec<String>);

impl Problems {
    pub fn add(&mut self, problem: impl Into<String>) {
        self.0.push(problem.into());
    }

    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Ends the check: fine, or everything that was found.
    pub fn none_in(self, world: World) -> Result<(), ConfigError> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(ConfigError {
                world: Some(world),
                problems: self.0,
            })
        }
    }
}

/// The configuration cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.text())]
pub struct ConfigError {
    world: Option<World>,
    problems: Vec<String>,
}

impl ConfigError {
    pub fn one(problem: impl Into<String>) -> Self {
        Self {
            world: None,
            problems: vec![problem.into()],
        }
    }

    /// Each problem, for tests and for a caller that prints them its own way.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    fn text(&self) -> String {
        match (self.world, self.problems.as_slice()) {
            (None | Some(World::Demo), [only]) => only.clone(),
            (world, all) => {
                let world = world.map_or("the server", |world| world.as_str());
                format!("{world} cannot start, because:\n  - {}", all.join("\n  - "))
            }
        }
    }
}
