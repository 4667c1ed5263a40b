import type { ModuleSamples } from '../../support/module-samples.ts'

export const passwords: ModuleSamples = {
  // Or a request for a one-time password would be refused.
  completions: { 'password-profile': async () => ({ enable_one_time_password_token: true }) },
  notInUpdates: [
    'user-authentication-info.current_password',
    'user-authentication-password-profile-info.current_password',
    'customer.current_password',
  ],
}
