import { resource } from '../kernel/declare/resource.ts'
import { flag, group, integer, text } from '../kernel/shape/fields.ts'
import { indexed, type Row, walks } from '../kernel/shape/model.ts'
import type { Ctx } from '../kernel/work/context.ts'
import { extensionOf } from './file-types.ts'
import { removeContent } from './remove-content.ts'

const fields = {
  file_name: text({
    readOnly: true,
    max: 255,
    about:
      'The name that the client sent with the file, directories included. A file that is kept elsewhere has none.',
    example: 'rye-loaf.jpg',
  }),
  mime_type: text({
    required: true,
    readOnly: true,
    about: 'By the end of its name.',
    example: 'image/jpeg',
  }),
  file_size: integer({ required: true, readOnly: true, about: 'In bytes; 0 where it is kept elsewhere.' }),
  public: flag({ default: true, readOnly: true, about: 'Always true: everyone may read it at its `link`.' }),
  /** Where it is, if it is not kept here. */
  location: text({ hidden: true, readOnly: true }),
  width: integer({ hidden: true, readOnly: true }),
  height: integer({ hidden: true, readOnly: true }),
}

const size = { ops: ['gt', 'ge', 'lt', 'le'], type: 'number' } as const

/** A picture, a film or a document that belongs to products. */
export const files = resource({
  type: 'file',
  noun: ['file', 'files'],
  about: 'A picture, a film or a document, which everyone may read at its `link`.',
  path: '/v2/files',
  table: 'files',
  fields,
  operations: ['list', 'get'],
  filter: {
    id: walks.id,
    created_at: walks.created_at,
    file_name: indexed('eq', 'like'),
    file_size: size,
    width: size,
    height: size,
  },
  sort: ['created_at', 'id'],
  // Requirement §8.
  offsetMax: 10_000,
  area: 'files',
  visible: 'all',
  envelope: { times: 'meta.timestamps', digits: 3, fields: 'top', links: 'inside', href: 'absolute' },
  meta: {
    fields: {
      dimensions: group(
        { width: integer({ required: true }), height: integer({ required: true }) },
        { about: 'Of a picture, in pixels.' },
      ),
    },
    of: ({ hidden: { width, height } }) => ({
      dimensions: width === undefined || height === undefined ? undefined : { width, height },
    }),
  },
  also: {
    fields: {
      link: group(
        { href: text({ required: true, about: 'As it was sent, where the content is kept elsewhere.' }) },
        { about: 'Where everyone may read it.' },
      ),
    },
    of: (row, ctx) => ({ link: { href: row.hidden.location ?? ctx.baseUrl + pathOf(row, ctx) } }),
  },
  afterDelete: (work, { id }) => work.later(removeContent, { fileId: id }),
})

const pathOf = ({ id, doc }: Row<typeof fields>, { store }: Ctx): string =>
  `/files/${store.id}/${servedName(id, doc.file_name ?? '')}`

/** What the content is called in its public address. */
export const servedName = (id: string, fileName: string): string => `${id}.${extensionOf(fileName)}`
