import { module } from '../../kernel/module.ts'
import { createFile } from './create-file.ts'
import { deleteFile } from './delete-file.ts'
import { files } from './files.ts'
import { forgetOrphans } from './forget-orphans.ts'
import { removeContent } from './remove-content.ts'
import { serveFile } from './serve-file.ts'

export const fileChapter = module({
  name: 'files',
  about: 'Stores images, videos and documents, and serves them to everyone.',
  resources: [files],
  actions: [createFile, deleteFile, serveFile],
  jobs: [removeContent],
  chores: [forgetOrphans],
})
