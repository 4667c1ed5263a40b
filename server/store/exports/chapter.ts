import { module } from '../../kernel/module.ts'
import { serveExport } from './serve-export.ts'

export const exportChapter = module({
  name: 'exports',
  about: 'Files that jobs write, and that clients download by a signed link.',
  actions: [serveExport],
})
