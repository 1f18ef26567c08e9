//! The workspace as `cargo metadata` tells it.

use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The crates of the workspace, and who needs whom.
pub struct Workspace {
    /// Its members, by name.
    pub crates: Vec<Crate>,
    /// The names of what each package needs to be built, members or not.
    needs: BTreeMap<String, Vec<String>>,
}

/// A source file.
pub struct File {
    /// Where it is.
    pub path: PathBuf,
    /// Where it is in the workspace.
    pub name: String,
    /// What is in it.
    pub text: String,
}

/// A member.
pub struct Crate {
    /// Its name.
    pub name: String,
    /// What its manifest names, except for its tests.
    pub dependencies: Vec<String>,
    /// Its folder.
    pub folder: PathBuf,
}

impl Crate {
    /// Its Rust files in `part` of its folder, in order.
    pub fn files(&self, part: &str) -> Vec<File> {
        let root = self.folder.parent().and_then(Path::parent).unwrap_or(&self.folder).to_owned();
        let read = |path: PathBuf| {
            let name = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
            Some(File { name, text: fs::read_to_string(&path).ok()?, path })
        };
        rust_files(&self.folder.join(part)).into_iter().filter_map(read).collect()
    }
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let nested = paths.iter().filter(|path| path.is_dir()).flat_map(|path| rust_files(path));
    let own = paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == "rs")).cloned();
    own.chain(nested).collect()
}

impl Workspace {
    /// Asks cargo.
    pub fn of_cargo_metadata() -> Result<Self, String> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let arguments = ["metadata", "--format-version", "1", "--locked"];
        let output =
            Command::new(cargo).args(arguments).output().map_err(|error| format!("cargo doesn't start: {error}"))?;
        if !output.status.success() {
            return Err(format!("cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr).trim()));
        }
        let metadata = serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))?;
        Self::of_metadata(&metadata).ok_or_else(|| "cargo metadata has another form than expected".into())
    }

    fn of_metadata(metadata: &Value) -> Option<Self> {
        let packages = metadata["packages"].as_array()?;
        let names: BTreeMap<_, _> =
            packages.iter().filter_map(|p| Some((p["id"].as_str()?, p["name"].as_str()?))).collect();
        let members: Vec<_> = metadata["workspace_members"].as_array()?.iter().filter_map(Value::as_str).collect();
        let is_member = |package: &&Value| package["id"].as_str().is_some_and(|id| members.contains(&id));
        let mut crates: Vec<_> = packages.iter().filter(is_member).filter_map(read_crate).collect();
        crates.sort_by(|a, b| a.name.cmp(&b.name));
        let nodes = metadata["resolve"]["nodes"].as_array()?.iter();
        let needs =
            nodes.filter_map(|node| Some((names.get(node["id"].as_str()?)?.to_string(), read_needs(node, &names)?)));
        Some(Self { crates, needs: needs.collect() })
    }

    /// Every package that this one needs, with the way that leads to it: the shortest.
    pub fn reached_from(&self, name: &str) -> BTreeMap<String, Vec<String>> {
        let mut reached = BTreeMap::new();
        let mut waiting = VecDeque::from([(name.to_string(), Vec::new())]);
        while let Some((name, way)) = waiting.pop_front() {
            for need in self.needs.get(&name).into_iter().flatten() {
                let longer: Vec<String> = way.iter().chain([need]).cloned().collect();
                if !reached.contains_key(need) {
                    reached.insert(need.clone(), longer.clone());
                    waiting.push_back((need.clone(), longer));
                }
            }
        }
        reached
    }

    #[cfg(test)]
    pub fn of_edges(edges: &[(&str, &[&str])]) -> Self {
        let members: Vec<_> = edges.iter().map(|(name, _)| *name).collect();
        Self::of_edges_and_members(edges, &members)
    }

    #[cfg(test)]
    pub fn of_edges_and_members(edges: &[(&str, &[&str])], members: &[&str]) -> Self {
        let owned = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
        let needs: BTreeMap<_, _> = edges.iter().map(|(name, needs)| (name.to_string(), owned(needs))).collect();
        let crates = members.iter().map(|name| Crate {
            name: name.to_string(),
            dependencies: needs[*name].clone(),
            folder: PathBuf::new(),
        });
        Self { crates: crates.collect(), needs }
    }
}

fn read_crate(package: &Value) -> Option<Crate> {
    let named = package["dependencies"].as_array()?.iter().filter(|dependency| dependency["kind"] != "dev");
    let mut dependencies: Vec<_> =
        named.filter_map(|dependency| Some(dependency["name"].as_str()?.to_string())).collect();
    dependencies.sort();
    dependencies.dedup();
    let manifest = PathBuf::from(package["manifest_path"].as_str()?);
    Some(Crate { name: package["name"].as_str()?.into(), dependencies, folder: manifest.parent()?.into() })
}

/// What a package needs to run: what only its tests or its build script need isn't part of it.
fn read_needs(node: &Value, names: &BTreeMap<&str, &str>) -> Option<Vec<String>> {
    let runs_with = |dependency: &&Value| {
        dependency["dep_kinds"].as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind["kind"].is_null()))
    };
    let needed = node["deps"].as_array()?.iter().filter(runs_with);
    Some(needed.filter_map(|dependency| Some(names.get(dependency["pkg"].as_str()?)?.to_string())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_only_tests_need_is_not_part_of_a_crate() {
        let metadata = json!({
            "packages": [
                {"id": "a 1", "name": "a", "manifest_path": "/w/a/Cargo.toml", "dependencies": [
                    {"name": "b", "kind": null}, {"name": "c", "kind": "dev"}]},
                {"id": "b 1", "name": "b", "manifest_path": "/r/b/Cargo.toml", "dependencies": []},
                {"id": "c 1", "name": "c", "manifest_path": "/r/c/Cargo.toml", "dependencies": []},
            ],
            "workspace_members": ["a 1"],
            "resolve": {"nodes": [
                {"id": "a 1", "deps": [
                    {"pkg": "b 1", "dep_kinds": [{"kind": null}]}, {"pkg": "c 1", "dep_kinds": [{"kind": "dev"}]}]},
                {"id": "b 1", "deps": []},
                {"id": "c 1", "deps": []},
            ]},
        });
        let workspace = Workspace::of_metadata(&metadata).unwrap();
        assert_eq!(workspace.crates.len(), 1);
        assert_eq!(workspace.crates[0].dependencies, ["b"]);
        assert_eq!(workspace.reached_from("a").into_keys().collect::<Vec<_>>(), ["b"]);
    }
}
