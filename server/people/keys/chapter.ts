import { module } from '../../kernel/module.ts'
import { applicationKeys } from './application-keys.ts'
import { createApplicationKey } from './create-application-key.ts'
import { getAccessToken } from './get-access-token.ts'

export const keys = module({
  name: 'keys',
  about: 'Application keys and access tokens.',
  resources: [applicationKeys],
  actions: [getAccessToken, createApplicationKey],
})
