//! Whose push services notices for people's devices are handed to.

use std::net::IpAddr;

use super::{Problems, World, places::Place};

/// The hosts that a browser may name as its push service: names, and `*.NAME` for all below one.
#[derive(Clone, Debug)]
pub struct Push {
    pub hosts: Vec<String>,
}

impl Push {
    /// Nothing is sent to a machine of somebody's own network; a demo may name this very machine by its address, for tests.
    pub(super) fn check(settings: &PushSettings, world: World, problems: &mut Problems) -> Self {
        let given = settings.push_hosts.iter().map(|host| host.trim().to_lowercase());
        let hosts: Vec<String> = given.filter(|host| !host.is_empty()).collect();
        for host in &hosts {
            let here = host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
            let place = Place::named(host.strip_prefix("*.").unwrap_or(host));
            let public = place.is_clear() && !place.is_private() && !place.is_example();
            let named = host.parse::<IpAddr>().is_err() && public;
            if !(named || here && !world.is_production()) {
                problems.add(format!(
                    "ARBORA_PUSH_HOSTS names {host}, which is no push service on the Internet: leave it out, the browsers' own are meant then"
                ));
            }
        }
        Self { hosts }
    }
}

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Push")]
pub struct PushSettings {
    /// Push services of browsers that notices are handed to, divided by commas; `*.NAME` for all below a name
    #[arg(
        long = "push-hosts",
        env = "ARBORA_PUSH_HOSTS",
        hide_env_values = true,
        global = true,
        value_delimiter = ',',
        default_value = "fcm.googleapis.com,updates.push.services.mozilla.com,*.push.apple.com,*.notify.windows.com",
        value_name = "HOSTS"
    )]
    pub push_hosts: Vec<String>,
}
