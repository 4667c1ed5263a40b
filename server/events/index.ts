import { module } from '../kernel/module.ts'

export { allEventKeys, type EventKey, entryVerbs, eventKeys, type Family } from './event-keys.ts'
export { isKnownKey, mustBeKnownKeys } from './known-keys.ts'

export const events = module({
  name: 'events',
  about: 'What integrations can observe, and what they are sent.',
})
