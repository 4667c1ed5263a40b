import { module } from '../../kernel/module.ts'

export const moneyChapter = module({
  name: 'money',
  about: 'Takes percentages of amounts, and divides amounts, exactly.',
})
