import type { Permission } from '@/api/ability';

/** The role matrix [docs/rules/web.md#menu], written down once more: whom a test signs in may what they may. */
export const ROLES = {
  administrator: [
    'registered-user',
    'admin_dashboard',
    'admin_permissions',
    'customer-service_list-users',
    'customer-service_user-view',
    'customer-service_user-edit',
    'customer-service_list-tickets',
    'customer-service_response-ticket',
  ],
  system_employee: [
    'registered-user',
    'admin_dashboard',
    'customer-service_list-users',
    'customer-service_user-view',
    'customer-service_list-tickets',
    'customer-service_response-ticket',
  ],
  salesperson: ['registered-user', 'customer-service_list-users', 'customer-service_user-view'],
  store_employee: ['registered-user', 'customer-service_list-tickets', 'customer-service_response-ticket'],
  customer: ['registered-user'],
} as const satisfies Record<string, readonly Permission[]>;
export type Role = keyof typeof ROLES;
