//! What processes of Rust know of each other and of their work.

use super::{Address, ConnectError, Functions, Security, Token};
use raskt_cluster::hello::{Role, Versions, this_host};
use raskt_cluster::{Face, NativeFace, Network, NetworkOptions, usual};
use raskt_value::wire::Decoders;
use std::sync::Arc;

/// Kernels of arrays and frames, and these functions.
pub(super) fn face(functions: &Functions) -> Arc<dyn Face> {
    let mut decoders = Decoders::default();
    raskt_array::add_decoders(&mut decoders);
    raskt_frame::add_decoders(&mut decoders);
    functions.add_decoders(&mut decoders);
    Arc::new(NativeFace(decoders))
}

/// What is used at that address where nobody has said more: the token of this user.
pub(super) fn usual_security(address: &Address) -> Result<Security, ConnectError> {
    if matches!(address, Address::Tls { .. }) {
        return Err(ConnectError::Unknown(format!(
            "`{address}` needs certificates: make them by `raskt certs`, read them by `Tls::read`, and name them in `Security`"
        )));
    }
    let file = usual::token_file().ok_or_else(|| {
        ConnectError::Unknown(
            "there is no place for a token file, since HOME isn't set: name a token in `Security`".into(),
        )
    })?;
    Ok(Security { token: Some(Token::read(&file)?.found()), tls: None })
}

/// The network of a process that comes as `role` to a scheduler at that address.
pub(super) fn network(role: Role, name: &str, security: &Security, to: &Address) -> Result<Network, ConnectError> {
    security.check_dialing(to)?;
    let mut options = NetworkOptions::new(role, security.clone())?;
    name.clone_into(&mut options.introduction.name);
    options.introduction.host = this_host();
    options.introduction.versions = Versions(vec![("raskt".into(), env!("CARGO_PKG_VERSION").into())]);
    Ok(Network::start(options)?)
}
