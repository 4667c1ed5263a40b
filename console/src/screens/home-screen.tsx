import { Link } from '@tanstack/react-router'
import { useDrafts } from '../api/drafts.ts'
import { useOwn } from '../api/own.ts'
import { useRights } from '../api/rights.ts'
import { words } from '../words/words.ts'
import { allGroups } from './areas.ts'
import css from './screens.module.css'

/** Every resource that has a list of its own, and that the caller may see. */
export function HomeScreen() {
  const rights = useRights()
  const drafts = useDrafts()
  useOwn()
  const groups = allGroups(rights)
  return (
    <>
      <h1>{words.shell.home}</h1>
      <p className={css.about}>
        {rights.role && groups.length === 0 ? words.rights.noneAtAll(rights.role) : words.shell.homeAbout}
      </p>
      {drafts.length > 0 && (
        <p>
          <Link to="/drafts">{words.draft.all(drafts.length)}</Link>
        </p>
      )}
      <div className={css.groups}>
        {groups.map(({ title, links }) => (
          <section key={title} aria-label={title}>
            <h2>{title}</h2>
            <ul>
              {links.map((one) => (
                <li key={one.id}>
                  <Link to="/$" params={{ _splat: one.path.slice(1) }}>
                    {one.title}
                  </Link>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </>
  )
}
