import { module } from '../kernel/module.ts'
import { add } from '../kernel/write/by-rules.ts'
import { currencies as currencyResource, dollar } from './currencies/currencies.ts'
import { serveExport } from './exports/exports.ts'
import { createFile } from './files/create-file.ts'
import { deleteFile, files, forgetOrphans, removeContent } from './files/files.ts'
import { serveFile } from './files/serve-file.ts'
import { pimJobErrors } from './jobs/pim-job-errors.ts'
import { cancelPimJob, forgetPimJobs, pimJobs } from './jobs/pim-jobs.ts'
import { cartSettings } from './settings/cart-settings.ts'
import { settings as storeSettings } from './settings/settings.ts'
import { getStore, listStores } from './settings/stores.ts'

export const settings = module({
  name: 'settings',
  about: 'The settings and the name of the store.',
  singletons: [storeSettings, cartSettings],
  actions: [listStores, getStore],
})

export const currencyChapter = module({
  name: 'currencies',
  about: 'The currencies for prices, and the format of amounts.',
  resources: [currencyResource],
  firstDay: async (work) => void (await add(work, currencyResource, [], dollar)),
})

export const pimJobChapter = module({
  name: 'pim-jobs',
  about: 'Long work on many products, which runs after the response.',
  resources: [pimJobs, pimJobErrors],
  actions: [cancelPimJob],
  chores: [forgetPimJobs],
})

export const imports = module({
  name: 'imports',
  about: 'Imports files whose rows become objects.',
})

export const fileChapter = module({
  name: 'files',
  about: 'Stores images, videos and documents, and serves them to everyone.',
  resources: [files],
  actions: [createFile, deleteFile, serveFile],
  jobs: [removeContent],
  chores: [forgetOrphans],
})

export const exportChapter = module({
  name: 'exports',
  about: 'Files that jobs write, and that clients download by a signed link.',
  actions: [serveExport],
})
