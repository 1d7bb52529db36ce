//! What notices are about, as people switch them, and what staff decide about people.

use super::words;
use serde::{Deserialize, Serialize};

words! {
    /// What a notice is about: people switch mails and toasts by it.
    NoticeGroup {
        MoneyIn = "money_in",
        MoneyOut = "money_out",
        Licences = "licences",
        Robots = "robots",
        Network = "network",
        /// The book of PYX.
        Exchange = "exchange",
        Support = "support",
        /// Announcements of the house.
        News = "news",
        /// Tickets that nobody has taken, for those who answer there and ask to be told.
        Tickets = "tickets",
        /// What those who run the house hear.
        Staff = "staff",
        /// Whoever may do what: always on.
        Security = "security",
    }
    /// What staff decided about somebody.
    AccountDecision {
        SwitchedOff = "switched_off",
        SwitchedOn = "switched_on",
        RolesGiven = "roles_given",
        RolesTaken = "roles_taken",
        OutboundPaused = "outbound_paused",
        OutboundResumed = "outbound_resumed",
    }
}
