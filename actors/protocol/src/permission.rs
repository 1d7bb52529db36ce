//! What a role may hold (docs/rules/identity.md#roles-and-permissions). A route names one permission; roles are sets of them.

use serde::{Deserialize, Serialize};
use std::str::FromStr;

macro_rules! permissions {
    ($($name:ident = $text:literal, $bit:literal);+ $(;)?) => {
        /// A named permission; becomes a `read <name>` entry in the client.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Permission { $(#[serde(rename = $text)] $name),+ }

        impl Permission {
            pub const ALL: &'static [Self] = &[$(Self::$name),+];
            #[must_use]
            pub const fn as_str(self) -> &'static str { match self { $(Self::$name => $text),+ } }
            const fn bit(self) -> u32 { match self { $(Self::$name => 1 << $bit),+ } }
        }
        // By hand: the derive does not see names that reach it through a macro.
        #[cfg(feature = "openapi")]
        impl utoipa::PartialSchema for Permission {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                utoipa::openapi::ObjectBuilder::new()
                    .schema_type(utoipa::openapi::schema::Type::String)
                    .enum_values(Some([$($text),+]))
                    .into()
            }
        }
        #[cfg(feature = "openapi")]
        impl utoipa::ToSchema for Permission {}
        impl FromStr for Permission {
            type Err = ();
            fn from_str(s: &str) -> Result<Self, ()> { match s { $($text => Ok(Self::$name),)+ _ => Err(()) } }
        }
    };
}

permissions! {
    RegisteredUser = "registered-user", 0;
    AdminDashboard = "admin_dashboard", 1;
    AdminPermissions = "admin_permissions", 2;
    ListUsers = "customer-service_list-users", 3;
    UserView = "customer-service_user-view", 4;
    UserEdit = "customer-service_user-edit", 5;
    ListTickets = "customer-service_list-tickets", 6;
    ResponseTicket = "customer-service_response-ticket", 7;
}

/// Names of the roles there are (docs/rules/identity.md#roles-and-permissions).
pub const ROLES: [&str; 5] = [
    "administrator",
    "system_employee",
    "salesperson",
    "store_employee",
    "customer",
];

/// A small set of permissions, cheap to copy and to ask.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Permissions(u32);

impl Permissions {
    pub const NONE: Self = Self(0);
    #[must_use]
    pub const fn holds(self, permission: Permission) -> bool {
        self.0 & permission.bit() != 0
    }
    #[must_use]
    pub const fn with(self, permission: Permission) -> Self {
        Self(self.0 | permission.bit())
    }
    /// Whether every permission of `other` is in this set.
    #[must_use]
    pub const fn covers(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
    pub fn iter(self) -> impl Iterator<Item = Permission> {
        Permission::ALL.iter().copied().filter(move |p| self.holds(*p))
    }
}

impl FromIterator<Permission> for Permissions {
    fn from_iter<I: IntoIterator<Item = Permission>>(iter: I) -> Self {
        iter.into_iter().fold(Self::NONE, Self::with)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_and_bits_are_apart() {
        for p in Permission::ALL {
            assert_eq!(p.as_str().parse(), Ok(*p));
            assert_eq!(Permissions::NONE.with(*p).iter().collect::<Vec<_>>(), [*p]);
        }
    }
}
