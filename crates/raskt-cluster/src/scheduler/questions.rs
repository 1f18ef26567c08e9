//! What clients ask about the cluster.

use super::core::Core;
use crate::message::ToClient;
use crate::question::{Answer, Question, SchedulerFacts};

impl Core {
    pub fn ask(&self, client: u32, number: u64, question: &Question) {
        if let Some(entry) = self.clients.get(&client) {
            entry.send(&ToClient::Answer { number, answer: self.answer(question) });
        }
    }

    fn answer(&self, question: &Question) -> Answer {
        match question {
            Question::Scheduler => Answer::Scheduler(self.facts()),
        }
    }

    fn facts(&self) -> SchedulerFacts {
        SchedulerFacts {
            age_nanoseconds: self.now().0,
            clients: self.clients.len() as u64,
            workers: self.workers.values().filter(|worker| worker.is_in()).count() as u64,
            runs: self.runs.len() as u64,
        }
    }
}
