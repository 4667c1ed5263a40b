import { module } from '../../kernel/module.ts'

export const stripe = module({
  name: 'stripe',
  about: 'Payments by payment intents of Stripe.',
})
