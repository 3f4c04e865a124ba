import type { Database } from 'better-sqlite3'
import { neverOfSites } from './sites.ts'

/** Counts the audit events of a target. */
const events = (action: string, target: string, more = ''): string =>
  `(SELECT count(*) FROM audit_event WHERE organization_id IN (SELECT id FROM organization) AND target_id = ${target}
    AND action ${action.includes(',') ? `IN (${action})` : `= ${action}`} ${more})`

const inSpace = (from: string): string =>
  `${from} WHERE EXISTS (SELECT 1 FROM space WHERE id = space_id)`

/**
 * The revision before and after each event that moves content. With a merge that was pushed comes
 * an event of the push.
 */
const moves = `SELECT seq, space_id, details ->> 'revision' AS revision, details ->> 'from' AS before FROM audit_event
  WHERE action IN ('space.created', 'space.content_updated')
    OR (action = 'change_request.merged' AND details ->> 'pushed' IS NULL)`

/**
 * Queries for states that no database may contain, whatever was written: each returns the
 * violations. Stored counters equal a recount. While a space exists, every write has one event, and
 * the target of every event exists.
 */
const never: [wrong: string, query: string][] = [
  [
    'a space miscounts its open comments',
    `SELECT id, open_comments AS has, (SELECT count(*) FROM comment
      WHERE space_id = space.id AND change_request_id IS NULL AND status = 'open') AS should FROM space WHERE has <> should`,
  ],
  [
    'a change request miscounts its open comments',
    `SELECT id, open_comments AS has, (SELECT count(*) FROM comment
      WHERE change_request_id = change_request.id AND status = 'open') AS should FROM change_request WHERE has <> should`,
  ],
  [
    'a comment miscounts its replies',
    `SELECT id, replies AS has, (SELECT count(*) FROM comment_reply WHERE comment_id = comment.id) AS should
      FROM comment WHERE has <> should`,
  ],
  [
    "a user's number of comments is wrong",
    `WITH posted AS (SELECT space_id, coalesce(change_request_id, '') AS scope, posted_by FROM comment
        UNION ALL SELECT space_id, coalesce(change_request_id, ''), posted_by FROM comment_reply),
      should AS (SELECT *, count(*) AS count FROM posted GROUP BY 1, 2, 3),
      has AS (SELECT space_id, change_request_id, user_id, count FROM commenter)
      SELECT * FROM (SELECT * FROM has EXCEPT SELECT * FROM should)
      UNION ALL SELECT * FROM (SELECT * FROM should EXCEPT SELECT * FROM has)`,
  ],
  [
    'a reaction refers to a missing reply',
    `SELECT * FROM reaction WHERE reply_id <> '' AND NOT EXISTS (SELECT 1 FROM comment_reply WHERE id = reply_id)`,
  ],
  [
    'a comment does not have exactly one event',
    `SELECT id FROM comment WHERE ${events("'comment.created'", 'comment.id')} <> 1`,
  ],
  [
    'an event refers to a missing comment',
    `SELECT target_id FROM ${inSpace('audit_event AS made')} AND action = 'comment.created'
      AND (SELECT count(*) FROM comment WHERE id = made.target_id) + ${events("'comment.deleted'", 'made.target_id')} <> 1`,
  ],
  [
    "a comment's status contradicts its events",
    `SELECT id, status FROM comment WHERE (status = 'resolved')
      <> ${events("'comment.resolved'", 'comment.id')} - ${events("'comment.reopened'", 'comment.id')}`,
  ],
  [
    'a reply does not have exactly one event',
    `SELECT id FROM comment_reply WHERE ${events("'reply.created'", 'comment_id', "AND details ->> 'reply' = comment_reply.id")} <> 1`,
  ],
  [
    'an event refers to a missing reply',
    `SELECT details ->> 'reply' FROM audit_event AS made WHERE action = 'reply.created'
      AND EXISTS (SELECT 1 FROM comment WHERE id = made.target_id)
      AND (SELECT count(*) FROM comment_reply WHERE id = made.details ->> 'reply')
        + ${events("'reply.deleted'", 'made.target_id', "AND audit_event.details ->> 'reply' = made.details ->> 'reply'")} <> 1`,
  ],
  [
    'a review does not have exactly one event',
    `SELECT id FROM review WHERE ${events("'review.submitted'", 'review.id')} <> 1`,
  ],
  [
    'an event refers to a missing review',
    `SELECT target_id FROM ${inSpace('audit_event')} AND action = 'review.submitted'
      AND NOT EXISTS (SELECT 1 FROM review WHERE id = target_id)`,
  ],
  [
    'the requested reviewers contradict the events',
    `WITH told AS (SELECT target_id, one.value AS user_id, sum(iif(action = 'reviewer.requested', 1, -1)) AS asked
        FROM audit_event, json_each(details, '$.users') AS one
        WHERE action IN ('reviewer.requested', 'reviewer.removed') GROUP BY 1, 2),
      should AS (SELECT target_id, user_id FROM told JOIN change_request ON change_request.id = target_id WHERE asked = 1),
      has AS (SELECT change_request_id, user_id FROM requested_reviewer)
      SELECT * FROM (SELECT * FROM has EXCEPT SELECT * FROM should)
      UNION ALL SELECT * FROM (SELECT * FROM should EXCEPT SELECT * FROM has)`,
  ],
  [
    'a role contradicts its last event',
    `WITH told AS (SELECT target_id, coalesce(details ->> 'user', details ->> 'team') AS subject_id,
        iif(action = 'permission.given', details ->> 'role', NULL) AS role, max(seq) FROM ${inSpace('audit_event')}
        AND action IN ('permission.given', 'permission.removed') GROUP BY 1, 2),
      should AS (SELECT target_id, subject_id, role FROM told WHERE role IS NOT NULL),
      has AS (SELECT target_id, subject_id, role FROM permission WHERE target_kind = 'space' AND role IS NOT NULL)
      SELECT * FROM (SELECT * FROM has EXCEPT SELECT * FROM should)
      UNION ALL SELECT * FROM (SELECT * FROM should EXCEPT SELECT * FROM has)`,
  ],
  [
    'a space does not have exactly one event',
    `SELECT id FROM space WHERE ${events("'space.created', 'space.duplicated'", 'space.id')} <> 1`,
  ],
  [
    'a change request has no event',
    `SELECT id FROM change_request WHERE ${events("'change_request.drafted', 'change_request.opened'", 'change_request.id')} = 0`,
  ],
  [
    "a change request's merge and its events contradict each other",
    `SELECT id, status FROM change_request WHERE (status = 'merged') <> ${events("'change_request.merged'", 'change_request.id')}`,
  ],
  [
    'the content events of a space have a gap',
    `SELECT * FROM (SELECT *, lag(revision) OVER (PARTITION BY space_id ORDER BY seq) AS was FROM (${moves}))
      WHERE was <> before`,
  ],
  [
    "a space's head contradicts its last event",
    `SELECT space_id, revision, max(seq) FROM (${moves}) AS moved WHERE EXISTS (SELECT 1 FROM space WHERE id = space_id)
      GROUP BY space_id HAVING NOT EXISTS (SELECT 1 FROM ref WHERE ref.space_id = moved.space_id AND oid = moved.revision)`,
  ],
  [
    'a mirrored ref belongs to no repository',
    `SELECT space_id, name FROM ref WHERE space_id NOT IN (SELECT id FROM space)
      AND space_id NOT IN (SELECT 'specs:' || id FROM organization)`,
  ],
  [
    'a spec has not one event',
    `SELECT id FROM openapi_spec WHERE ${events("'openapi_spec.created'", 'openapi_spec.id')} <> 1`,
  ],
  [
    'a version of a spec has not one event',
    `SELECT id FROM openapi_version WHERE ${events("'openapi_spec.processed'", 'spec_id', "AND details ->> 'version' = openapi_version.id")} <> 1`,
  ],
  [
    'something is derived from a spec that is not there, or from nothing',
    `SELECT version_id FROM openapi_outline WHERE spec_id NOT IN (SELECT id FROM openapi_spec)
      UNION SELECT version_id FROM openapi_piece WHERE version_id NOT IN (SELECT version_id FROM openapi_outline)`,
  ],
  [
    "a webhook's deliveries do not match the events one to one",
    `WITH told (action, kind) AS (VALUES ('space.deleted', 'space_updated'),
        ('space.content_updated', 'space_content_updated'), ('git_sync.started', 'space_gitsync_started'),
        ('git_sync.completed', 'space_gitsync_completed'), ('change_request.opened', 'change_request_opened'),
        ('change_request.content_updated', 'change_request_updated'), ('change_request.merged', 'change_request_merged'),
        ('review.submitted', 'review_submitted'), ('comment.created', 'comment_created'),
        ('comment.resolved', 'comment_resolved'), ('site.published', 'site_published'),
        ('site.unpublished', 'site_unpublished'), ('site.structure_updated', 'site_structure_updated'), ('site.updated', 'site_updated'),
        ('space.visibility_updated', 'space_visibility_updated'),
        ('space.created', 'space_created'), ('space.duplicated', 'space_created'),
        ('reviewer.requested', 'review_requested'), ('comment.deleted', 'comment_deleted'),
        ('reply.created', 'reply_created'), ('reply.deleted', 'reply_deleted'),
        ('openapi_spec.processed', 'openapi_spec_processed'), ('member.invited', 'member_joined'),
        ('member.joined', 'member_joined'), ('member.updated', 'member_updated'), ('member.removed', 'member_removed'),
        ('team.created', 'team_created'), ('team.updated', 'team_updated'), ('team.members_updated', 'team_updated'),
        ('team.deleted', 'team_deleted')),
      should AS (SELECT audit_event.id, kind FROM audit_event JOIN told USING (action) WHERE target_kind <> 'invitation'
        AND seq > (SELECT seq FROM audit_event WHERE action = 'webhook.created'))
      SELECT should.id, kind, count(event_id) FROM should LEFT JOIN webhook_delivery ON event_id = should.id AND event = kind
        AND redelivery_of IS NULL GROUP BY 1, 2 HAVING count(event_id) <> 1
      UNION ALL SELECT event_id, event, 0 FROM webhook_delivery
        WHERE event_id NOT IN (SELECT id FROM should) AND event NOT IN ('space_content_updated')`,
  ],
]

/**
 * Returns the violations in the rows, read in one transaction of a database that may be written to
 * meanwhile.
 */
export const recount = (database: Database): string[] =>
  [...never, ...neverOfSites].flatMap(([wrong, query]) =>
    (database.prepare(`${query} LIMIT 5`).all() as object[]).map(
      row => `${wrong}: ${JSON.stringify(row)}`,
    ),
  )

/**
 * The facts about comments, reviews and roles in each space, as texts. Texts written by users are
 * facts too.
 */
export const readFacts = (database: Database): { space_id: string; fact: string }[] =>
  database
    .prepare(
      `SELECT space_id, 'comment ' || id AS fact FROM comment
      UNION ALL SELECT space_id, body ->> 'markdown' FROM comment
      UNION ALL SELECT space_id, 'resolved ' || id FROM comment WHERE status = 'resolved'
      UNION ALL SELECT space_id, 'reply ' || id FROM comment_reply
      UNION ALL SELECT space_id, body ->> 'markdown' FROM comment_reply
      UNION ALL SELECT space_id, 'reaction ' || comment_id || ' ' || emoji
        FROM reaction JOIN comment ON comment.id = comment_id WHERE reply_id = ''
      UNION ALL SELECT space_id, 'asked ' || change_request_id FROM requested_reviewer
      UNION ALL SELECT space_id, 'review ' || id FROM review
      UNION ALL SELECT target_id, 'role ' || role FROM permission
        WHERE target_kind = 'space' AND role IS NOT NULL AND subject_kind = 'user'`,
    )
    .all() as { space_id: string; fact: string }[]
