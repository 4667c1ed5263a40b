import { module } from '../kernel/module.ts'

export {
  EventContent,
  type Message,
  type Outcome,
  type SqsTarget,
  type StompTarget,
  type Target,
} from './message.ts'
export { exchange, type Network, openNetwork } from './network.ts'
export { send } from './send.ts'
export { isSigningSecret } from './sign.ts'

export const targets = module({
  name: 'targets',
  about: 'How a message reaches a webhook or a queue of the merchant.',
})
