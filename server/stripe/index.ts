import { module } from '../kernel/module.ts'

export { currencyMismatch } from './decimal-places.ts'
export { isAutomatic } from './intent-params.ts'
export { type HeardWebhook, readWebhook } from './read-webhook.ts'
export { stripeGateway } from './stripe-gateway.ts'

export const stripe = module({
  name: 'stripe',
  about: 'Payments by payment intents of Stripe.',
})
