//! Manifests against the table.

use crate::table::{ALLOWED, HOMES, IMPURE, Layer, SIDEWAYS, layer, matches};
use crate::workspace::{Crate, Workspace};

/// Every violation, as a sentence.
pub fn check(workspace: &Workspace) -> Vec<String> {
    let each = workspace.crates.iter();
    each.flat_map(|member| match layer(&member.name) {
        None => vec![format!(
            "`{}` isn't in the table of crates (xtask/src/table.rs): say which layer it is of.",
            member.name
        )],
        Some(layer) => {
            let wrong = wrong_imports(member, layer).chain(strays(member));
            wrong.chain(unlisted(member, layer)).chain(impurities(member, layer, workspace)).collect()
        }
    })
    .collect()
}

/// Imports that don't point down.
fn wrong_imports(member: &Crate, own: Layer) -> impl Iterator<Item = String> {
    let imported = member.dependencies.iter().filter_map(|name| Some((name, layer(name)?)));
    let wrong = imported.filter(move |(name, other)| {
        !own.imports().contains(other) && !SIDEWAYS.contains(&(member.name.as_str(), name.as_str()))
    });
    wrong.map(move |(name, other)| {
        format!("`{}` ({own:?}) imports `{name}` ({other:?}): imports point down only.", member.name)
    })
}

/// Heavy dependencies away from home.
fn strays(member: &Crate) -> impl Iterator<Item = String> {
    member.dependencies.iter().filter_map(|name| {
        let (_, homes) = HOMES.iter().find(|(pattern, _)| matches(pattern, name))?;
        let stray = !homes.contains(&member.name.as_str());
        stray.then(|| format!("`{}` names `{name}`, whose home is `{}`.", member.name, homes.join("` or `")))
    })
}

/// What plain data and pure decisions name and aren't known to need.
fn unlisted(member: &Crate, own: Layer) -> impl Iterator<Item = String> {
    let allowed = ALLOWED.iter().find(|(name, _)| *name == member.name).map_or(&[][..], |(_, allowed)| *allowed);
    let foreign = member.dependencies.iter().filter(move |name| own.is_pure() && layer(name).is_none());
    let unlisted = foreign.filter(|name| !allowed.contains(&name.as_str()));
    unlisted.map(move |name| {
        format!("`{}` ({own:?}) names `{name}`, which isn't among what it may name (xtask/src/table.rs).", member.name)
    })
}

/// What plain data and pure decisions must not reach, with the way that leads there.
fn impurities(member: &Crate, own: Layer, workspace: &Workspace) -> Vec<String> {
    if !own.is_pure() {
        return Vec::new();
    }
    let reached = workspace.reached_from(&member.name);
    let impure = reached.iter().filter(|(name, _)| IMPURE.iter().any(|pattern| matches(pattern, name)));
    impure.map(|(name, way)| format!("`{}` ({own:?}) reaches `{name}`: {}.", member.name, way.join(" → "))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn violations(edges: &[(&str, &[&str])]) -> Vec<String> {
        check(&Workspace::of_edges(edges))
    }

    #[test]
    fn imports_that_point_down_are_fine() {
        let fine: &[(&str, &[&str])] = &[
            ("raskt-graph", &["smallvec"]),
            ("raskt-schedule", &["raskt-graph"]),
            ("raskt-store", &["raskt-graph"]),
            ("raskt-execute", &["raskt-schedule", "raskt-store", "parking_lot"]),
            ("raskt-array", &["raskt-graph", "faer"]),
            ("raskt-frame", &["raskt-array", "polars", "polars-arrow"]),
            ("raskt", &["raskt-array", "raskt-execute"]),
            ("raskt-python", &["raskt-frame", "raskt-execute", "pyo3", "polars-arrow"]),
        ];
        assert_eq!(violations(fine), Vec::<String>::new());
    }

    #[test]
    fn imports_that_point_up_or_sideways_are_not() {
        assert_eq!(
            violations(&[("raskt-graph", &["raskt-schedule"])]),
            ["`raskt-graph` (Words) imports `raskt-schedule` (Decisions): imports point down only."]
        );
        assert_eq!(
            violations(&[("raskt-array", &["raskt-frame"])]),
            ["`raskt-array` (Collections) imports `raskt-frame` (Collections): imports point down only."]
        );
        assert_eq!(
            violations(&[("raskt-array", &["raskt-execute"])]),
            ["`raskt-array` (Collections) imports `raskt-execute` (Effects): imports point down only."]
        );
    }

    #[test]
    fn a_heavy_dependency_has_one_home() {
        assert_eq!(
            violations(&[("raskt-array", &["polars-core"])]),
            ["`raskt-array` names `polars-core`, whose home is `raskt-frame`."]
        );
        assert_eq!(
            violations(&[("raskt-execute", &["polars-arrow"])]),
            ["`raskt-execute` names `polars-arrow`, whose home is `raskt-frame` or `raskt-python`."]
        );
    }

    #[test]
    fn what_pure_crates_reach_is_followed_to_the_end() {
        let edges: &[(&str, &[&str])] =
            &[("raskt-schedule", &["smallvec"]), ("smallvec", &["deeper"]), ("deeper", &["tokio-util"])];
        assert_eq!(
            check(&Workspace::of_edges_and_members(edges, &["raskt-schedule"])),
            ["`raskt-schedule` (Decisions) reaches `tokio-util`: smallvec → deeper → tokio-util."]
        );
    }

    #[test]
    fn a_pure_crate_names_only_what_is_on_its_list() {
        assert_eq!(
            violations(&[("raskt-schedule", &["raskt-graph", "rand", "smallvec"])]),
            ["`raskt-schedule` (Decisions) names `rand`, which isn't among what it may name (xtask/src/table.rs)."]
        );
        assert_eq!(violations(&[("raskt-store", &["libc"])]), Vec::<String>::new());
    }

    #[test]
    fn a_new_crate_must_say_where_it_belongs() {
        let found = violations(&[("raskt-magic", &[])]);
        assert_eq!(
            found,
            ["`raskt-magic` isn't in the table of crates (xtask/src/table.rs): say which layer it is of."]
        );
    }
}
