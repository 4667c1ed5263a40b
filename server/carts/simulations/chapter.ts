import { module } from '../../kernel/module.ts'
import { simulationOf } from './simulate.ts'

export const simulationChapter = module({
  name: 'simulations',
  about: 'What a promotion would do to a cart.',
  actions: [
    simulationOf({ name: 'promotion', path: '/v2/promotions', source: 'standard' }),
    simulationOf({ name: 'rule-promotion', path: '/v2/rule-promotions', source: 'rule' }),
  ],
})
