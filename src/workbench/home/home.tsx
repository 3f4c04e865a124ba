import { self } from '../../access/guards/self.ts'
import { page } from '../frame/page.ts'
import { homeView } from './home-view.tsx'
import { listView } from './list-view.tsx'
import { HomeQuery, type List, loadList } from './lists.ts'
import { type Home, loadHome } from './load-home.ts'

/** What waits for a member, their change requests, spaces and sites; or a part of one of these lists. */
export const home = page({
  path: '',
  scope: undefined,
  access: self,
  query: HomeQuery,
  load: async (asked): Promise<{ home: Home } | { list: List }> =>
    asked.query.list === undefined
      ? { home: await loadHome(asked) }
      : { list: await loadList(asked, asked.query.list) },
  view: loaded => ('list' in loaded ? listView(loaded.list) : homeView(loaded.home)),
})
