import { type Item, valueAt } from '../api/objects.ts'
import { words } from '../words/words.ts'
import css from './records.module.css'

/** The picture of a file. The policy of the page shows those of this server only; all others are links. */
export function FilePreview({ item }: { readonly item: Item }) {
  const url = URL.parse(String(valueAt(item, 'link.href') ?? ''))
  if (item.type !== 'file' || !url) return null
  const name = String(item.file_name ?? url.pathname)
  const isPicture = /^image\/(gif|jpeg|png|webp)$/.test(String(item.mime_type))
  return (
    <p>
      <a href={url.href} target="_blank" rel="noreferrer">
        {isPicture && url.origin === location.origin ? (
          <img className={css.picture} src={url.href} alt={words.upload.preview(name)} />
        ) : (
          words.upload.open(name)
        )}
      </a>
    </p>
  )
}
