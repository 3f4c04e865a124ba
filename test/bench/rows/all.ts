import type { Figure, Pace } from '../figure.ts'
import { searchQuality } from '../site/search/search-quality.ts'
import { comments } from './comments.ts'
import { comparisonsRow } from './comparisons.ts'
import { edit } from './edit.ts'
import { editors } from './editors.ts'
import { firstRead } from './first-read.ts'
import { gitRow } from './git.ts'
import { history } from './history.ts'
import { importRow } from './import.ts'
import { links } from './links.ts'
import { memory } from './memory.ts'
import { mergeRow } from './merge.ts'
import { openapiRow } from './openapi.ts'
import { packedRow } from './pages/packed.ts'
import { pageKindsRow } from './pages/page-kinds.ts'
import { pageList } from './pages/page-list.ts'
import { pageRead } from './pages/page-read.ts'
import { pageReadEdited } from './pages/page-read-edited.ts'
import { pdf } from './pdf.ts'
import { permissionCheck } from './permission-check.ts'
import { postgres } from './postgres.ts'
import { postgresNodes } from './postgres-nodes.ts'
import { rename } from './rename.ts'
import { scale } from './scale.ts'
import { search } from './search.ts'
import { site, siteLarge, siteMarks, siteReaders } from './site.ts'
import { siteRead, siteSearch, sitesRow } from './sites.ts'
import { spaceList } from './space-list.ts'
import { start } from './start.ts'
import { workbench } from './workbench.ts'

/** Every row by its name, in the order of the table. */
export const rows: Record<string, (pace: Pace) => Promise<Figure[]>> = {
  'page-read': pageRead,
  'page-read-edited': pageReadEdited,
  'page-list': pageList,
  packed: packedRow,
  'first-read': firstRead,
  edit,
  rename,
  merge: mergeRow,
  editors,
  import: importRow,
  git: gitRow,
  history,
  links,
  memory,
  comments,
  scale,
  search,
  'search-quality': searchQuality,
  'space-list': spaceList,
  sites: sitesRow,
  site,
  'site-large': siteLarge,
  'site-marks': siteMarks,
  'site-readers': siteReaders,
  'page-kinds': pageKindsRow,
  comparisons: comparisonsRow,
  'site-read': siteRead,
  'site-search': siteSearch,
  workbench,
  'permission-check': permissionCheck,
  pdf,
  openapi: openapiRow,
  start,
  postgres,
  'postgres-nodes': postgresNodes,
}
