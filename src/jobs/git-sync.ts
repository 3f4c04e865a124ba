import { runGitSync } from '../actions/git-sync/run-git-sync.ts'
import type { JobRun } from './run.ts'

/** Runs the earliest pending Git import or export of a space. */
export const gitSync: JobRun<'git-sync'> = (ctx, { spaceId }, about) =>
  runGitSync(ctx, spaceId, about)
