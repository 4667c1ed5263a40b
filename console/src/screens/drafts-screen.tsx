import { Link } from '@tanstack/react-router'
import type { Resource } from '../api/document.ts'
import { dropDraft, type OwnDraft, useDrafts } from '../api/drafts.ts'
import { useOwn } from '../api/own.ts'
import { placeAt } from '../api/resources.ts'
import { Time } from '../fields/time.tsx'
import { Button } from '../parts/button.tsx'
import { Notice } from '../parts/notice.tsx'
import { fieldLabel, labelOf } from '../words/labels.ts'
import { words } from '../words/words.ts'
import css from './screens.module.css'

/** Everything that was typed in this browser and not saved, by who has signed in. */
export function DraftsScreen() {
  const drafts = useDrafts()
  useOwn()
  if (!drafts.length) return <Notice isPage sign="✎" title={words.draft.none} about={words.draft.noneAbout} />
  return (
    <>
      <h1>{words.draft.title}</h1>
      <p className={css.about}>{words.draft.listAbout}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard. */}
      <section className={css.drafts} tabIndex={0} aria-label={words.draft.title}>
        <table>
          <thead>
            <tr>
              <th scope="col">{words.draft.what}</th>
              <th scope="col">{words.draft.fields}</th>
              <th scope="col">{words.draft.when}</th>
              <td />
            </tr>
          </thead>
          <tbody>
            {drafts.map((one) => (
              <Row key={one.draft.key} {...one} />
            ))}
          </tbody>
        </table>
      </section>
    </>
  )
}

function Row(own: OwnDraft) {
  const { draft } = own
  const { title, path, form } = formOf(own)
  const fields = Object.keys(draft.texts).map((path) => fieldLabel(path))
  return (
    <tr>
      <th scope="row">
        <Link to="/$" params={{ _splat: path.slice(1) }} search={form ? { form } : {}}>
          {title}
        </Link>
      </th>
      <td>{fields.join(', ')}</td>
      <td>
        <Time iso={new Date(draft.savedAt).toISOString()} />
      </td>
      <td>
        <Button aria-label={words.draft.discardOne(title)} onClick={() => void dropDraft(draft.key)}>
          {words.draft.drop}
        </Button>
      </td>
    </tr>
  )
}

interface DraftForm {
  readonly title: string
  readonly path: string
  /** Actions have their window at the object. */
  readonly form?: 'new' | 'edit'
}

/** The form that a draft belongs to, and where it is. */
function formOf({ draft, path, isAction }: OwnDraft): DraftForm {
  if (isAction) {
    const at = holderOf(path)
    const { resource } = placeAt(at) ?? {}
    const action = labelOf(path.slice(path.lastIndexOf('/') + 1))
    return { title: words.draft.action(action, resource?.title ?? at), path: at }
  }
  const place = placeAt(path)
  if (!place) return { title: path, path }
  const { resource } = place
  return place.itemPath
    ? { title: words.form.edit(nameIn(draft.start, resource)), path, form: 'edit' }
    : { title: newTitle(resource), path, form: 'new' }
}

/** All that a store has added are entries: their list says which. */
const newTitle = ({ own, noun, title }: Resource): string =>
  own ? words.draft.action(words.form.create(noun[0]), title) : words.form.create(noun[0])

/** The object or the list that an action is about: what is nearest above it. */
function holderOf(path: string): string {
  const above = path.slice(0, path.lastIndexOf('/'))
  return above === '' || placeAt(above) ? above || path : holderOf(above)
}

const naming = ['name', 'title', 'sku', 'email', 'slug', 'code']

/** What the object was called when the form was opened. */
function nameIn(start: OwnDraft['draft']['start'], resource: Resource): string {
  const names = naming.flatMap((name) => [start[name], start[`attributes.${name}`]])
  return names.find((name) => name !== undefined && name !== '') ?? resource.noun[0]
}
