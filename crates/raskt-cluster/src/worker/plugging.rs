//! What workers are to have, at one of them.

use super::serving::Serving;
use bytes::Bytes;

impl Serving {
    /// It is to have this, or have it no longer. What it has from before its scheduler began anew isn't begun again for that.
    pub(super) fn plug_in(&mut self, name: String, is_new: bool, plugin: Option<Bytes>) {
        if !is_new && plugin.is_some() && self.plugins.get(&name) == plugin.as_ref() {
            return;
        }
        let goes_on = self.gate.close(&name);
        self.face.plugin(self.engine.number(), &name, plugin.as_deref(), goes_on);
        match plugin {
            Some(plugin) => _ = self.plugins.insert(name, plugin),
            None => _ = self.plugins.remove(&name),
        }
    }

    /// Tasks wait for it no longer.
    pub(super) fn plugged_in(&mut self, name: &str) {
        self.gate.open(name).into_iter().for_each(|message| self.hear(message));
    }

    /// It has no others any more than these.
    pub(super) fn drop_plugins(&mut self, names: &[String]) {
        let others: Vec<_> = self.plugins.keys().filter(|name| !names.contains(name)).cloned().collect();
        others.into_iter().for_each(|name| self.plug_in(name, true, None));
    }
}
