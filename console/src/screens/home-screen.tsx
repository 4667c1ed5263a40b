import { Link } from '@tanstack/react-router'
import { words } from '../words/words.ts'
import { allGroups } from './areas.ts'
import css from './screens.module.css'

/** Every resource that has a list of its own. */
export const HomeScreen = () => (
  <>
    <h1>{words.shell.home}</h1>
    <p className={css.about}>{words.shell.homeAbout}</p>
    <div className={css.groups}>
      {allGroups.map(({ title, links }) => (
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
