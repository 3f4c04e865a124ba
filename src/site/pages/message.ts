import type { MessagePage } from '../views/model.ts'

type Parts = Pick<MessagePage, 'status' | 'title' | 'text'> &
  Partial<Pick<MessagePage, 'links' | 'nav' | 'query' | 'found' | 'requestId'>>

/** Returns a page that says what is wrong, which no search engine keeps. */
export const messageOf = ({
  status,
  title,
  text,
  links = [],
  nav = [],
  query,
  found,
  requestId,
}: Parts): MessagePage => ({
  kind: 'message',
  head: { title, description: '', canonical: '', robots: 'noindex', alternates: [], crumbs: [] },
  status,
  title,
  text,
  links,
  nav,
  query,
  found,
  requestId,
})
