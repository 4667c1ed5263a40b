import type { RecordParts } from '../../records/record-parts.ts'
import { screenWords } from '../../words/words.ts'
import { PeopleTab } from './people-tab.tsx'
import { LinkTab, SignInTab } from './sign-in-tab.tsx'

const title = () => screenWords.identity.tab

export const userParts: RecordParts = { tabs: [{ id: 'sign-in', title, Content: SignInTab }] }

export const realmParts: RecordParts = {
  tabs: [{ id: 'people', title: () => screenWords.identity.people.tab, Content: PeopleTab }],
}

/** A relink says what it costs; the declared form would not. */
export const linkParts: RecordParts = {
  tabs: [{ id: 'sign-in', title, Content: LinkTab }],
  hides: ({ method }) => method === 'PUT',
}
