import { module } from '../../kernel/module.ts'

export const events = module({
  name: 'events',
  about: 'What integrations can observe, and what they are sent.',
})
