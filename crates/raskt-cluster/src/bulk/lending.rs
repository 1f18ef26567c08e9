//! Memory that peers read while this process holds it for them.

use super::step::Proof;
use bytes::Bytes;

/// What is lent over one connection; it is let go of with the connection.
#[derive(Debug)]
pub(super) struct Lending<Asked> {
    lent: Vec<Lent<Asked>>,
}

#[derive(Debug)]
struct Lent<Asked> {
    transfer: u32,
    asked: Asked,
    pieces: Vec<Bytes>,
    /// It stays where it is.
    #[expect(dead_code, reason = "the peer reads it")]
    proof: Box<Proof>,
}

impl<Asked> Default for Lending<Asked> {
    fn default() -> Self {
        Self { lent: vec![] }
    }
}

impl<Asked> Lending<Asked> {
    /// How many transfers.
    pub fn len(&self) -> usize {
        self.lent.len()
    }

    /// Holds pieces until they are taken back, and says where the proof and they lie.
    pub fn lend(&mut self, transfer: u32, proof: Proof, asked: Asked, pieces: Vec<Bytes>) -> (u64, Vec<u64>) {
        let proof = Box::new(proof);
        // Another process reads them: whatever was written to them has to be in memory.
        let places = pieces.iter().map(|piece| piece.as_ptr().expose_provenance() as u64).collect();
        let at = (&raw const *proof).expose_provenance() as u64;
        self.lent.push(Lent { transfer, asked, pieces, proof });
        (at, places)
    }

    /// The peer reads it no more.
    pub fn take_back(&mut self, transfer: u32) -> Option<(Asked, Vec<Bytes>)> {
        let at = self.lent.iter().position(|lent| lent.transfer == transfer)?;
        let Lent { asked, pieces, .. } = self.lent.swap_remove(at);
        Some((asked, pieces))
    }
}
