import type { JobKind } from '../queue/kinds.ts'
import { bringManual } from './bring-manual.ts'
import { deliverWebhook } from './deliver-webhook.ts'
import { gitSync } from './git-sync.ts'
import { importFiles } from './import-files.ts'
import { indexSearch } from './index-search.ts'
import { packSpace } from './pack-space.ts'
import { processOpenapi } from './process-openapi.ts'
import { purgeSpace } from './purge-space.ts'
import type { JobRun } from './run.ts'
import { tidy } from './tidy.ts'

/** The handler of every kind of job. */
export const jobs: Partial<{ [Kind in JobKind]: JobRun<Kind> }> = {
  'bring-manual': bringManual,
  'deliver-webhook': deliverWebhook,
  'git-sync': gitSync,
  'import-files': importFiles,
  'index-search': indexSearch,
  'pack-space': packSpace,
  'process-openapi': processOpenapi,
  'purge-space': purgeSpace,
  tidy,
}
