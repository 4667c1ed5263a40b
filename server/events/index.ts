import { module } from '../kernel/module.ts'

export { eventsOf, type StoreEvent, type StoreFacts, storeFacts } from './events-of.ts'
export { queueData, webhookPayload, withoutIncluded } from './payload.ts'
export { payloadOf } from './payload-of.ts'

export const events = module({
  name: 'events',
  about: 'What integrations can observe, and what they are sent.',
})
