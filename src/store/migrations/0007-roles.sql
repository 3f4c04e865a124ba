-- A member's own role in the organization now applies wherever content inherits, and a grant counts before default levels.
-- Until now the organization's default role applied instead of the member's role, and the strongest of grant, default and
-- membership counted. This migration keeps what every member can do with every space and collection that exists:
--
--  * Members with "read" to "review" take the role that they had in effect at the top: the default role.
--  * Where that cannot be said with a role, the top of the organization's content says it with a default level: null where
--    the default role was null, "admin" where it was "admin".
--  * A default role of "create" or "admin" becomes the role "create", which nothing takes away. In an organization that
--    closes some of its content with a weaker level it becomes "review", with "create" or "admin" as default level at the
--    top: these members no longer make spaces at the top, and nothing is opened to them.
--  * A grant that is weaker than the default level beside it did not lower anything. It is raised to what was in effect.

CREATE TEMP TABLE strength (role TEXT NOT NULL PRIMARY KEY, held INTEGER NOT NULL);
INSERT INTO strength VALUES ('read', 1), ('comment', 2), ('edit', 3), ('review', 4), ('create', 5), ('admin', 6);

-- The levels of each space and collection, nearest (0) first.
CREATE TEMP TABLE item_level AS
  WITH RECURSIVE level(kind, id, organization_id, depth, at_kind, at_id, parent_id, default_level) AS (
    SELECT 'space', id, organization_id, 0, 'space', id, collection_id, default_level FROM space
    UNION ALL
    SELECT 'collection', id, organization_id, 0, 'collection', id, parent_id, default_level FROM collection
    UNION ALL
    SELECT level.kind, level.id, level.organization_id, level.depth + 1, 'collection', collection.id,
      collection.parent_id, collection.default_level
    FROM level JOIN collection ON collection.id = level.parent_id
    WHERE level.depth < 32
  )
  SELECT kind, id, organization_id, depth, at_kind, at_id, default_level FROM level;
CREATE INDEX temp.item_level_by_item ON item_level (kind, id, depth);
CREATE INDEX temp.item_level_by_level ON item_level (at_kind, at_id);

-- What defaults gave to members on each of them, as a strength; 0: nothing.
CREATE TEMP TABLE item_default AS
  SELECT item.kind, item.id, coalesce((
    SELECT held FROM strength WHERE role = coalesce(
      (SELECT coalesce(level.default_level, 'none') FROM item_level AS level
        WHERE level.kind = item.kind AND level.id = item.id AND level.default_level IS NOT 'inherit'
        ORDER BY level.depth LIMIT 1),
      (SELECT default_role FROM organization WHERE organization.id = item.organization_id)
    )), 0) AS held
  FROM item_level AS item WHERE item.depth = 0;
CREATE UNIQUE INDEX temp.item_default_by_item ON item_default (kind, id);

-- What was granted on the nearest level that has grants: to each member who is not a guest, on each item.
CREATE TEMP TABLE item_grant AS
  SELECT kind, id, organization_id, user_id, min(depth) AS depth, held FROM (
    SELECT kind, id, organization_id, user_id, depth, max(held) AS held FROM (
      SELECT level.kind, level.id, level.organization_id, level.depth, permission.subject_id AS user_id,
        coalesce(strength.held, 0) AS held
      FROM permission
      CROSS JOIN item_level AS level ON level.at_kind = permission.target_kind AND level.at_id = permission.target_id
      LEFT JOIN strength ON strength.role = permission.role
      WHERE permission.subject_kind = 'user'
      UNION ALL
      SELECT level.kind, level.id, level.organization_id, level.depth, team_member.user_id,
        coalesce(strength.held, 0)
      FROM permission
      CROSS JOIN team_member ON team_member.team_id = permission.subject_id
      CROSS JOIN item_level AS level ON level.at_kind = permission.target_kind AND level.at_id = permission.target_id
      LEFT JOIN strength ON strength.role = permission.role
      WHERE permission.subject_kind = 'team'
    ) GROUP BY kind, id, organization_id, user_id, depth
  ) AS granted
  WHERE EXISTS (
    SELECT 1 FROM member WHERE member.organization_id = granted.organization_id
      AND member.user_id = granted.user_id AND member.role IS NOT NULL)
  GROUP BY kind, id, organization_id, user_id;
CREATE UNIQUE INDEX temp.item_grant_by_item ON item_grant (kind, id, user_id);

-- What "read" to "review" become in each organization, and the level that its top gets; 'inherit': none.
CREATE TEMP TABLE change AS
  SELECT id, default_role,
    CASE
      WHEN default_role IS NULL THEN 'read'
      WHEN default_role NOT IN ('create', 'admin') THEN default_role
      WHEN closes THEN 'review'
      ELSE 'create'
    END AS role,
    CASE
      WHEN default_role IS NULL OR default_role = 'admin' OR (default_role = 'create' AND closes) THEN default_role
      ELSE 'inherit'
    END AS top
  FROM (
    SELECT organization.id, organization.default_role, EXISTS (
      SELECT 1 FROM item_level WHERE item_level.organization_id = organization.id AND depth = 0
        AND (default_level IS NULL OR default_level IN ('read', 'comment', 'edit', 'review'))) AS closes
    FROM organization
  );

UPDATE member SET role = (SELECT role FROM change WHERE change.id = member.organization_id)
  WHERE role IN ('read', 'comment', 'edit', 'review');
UPDATE link_invite SET role = (SELECT role FROM change WHERE change.id = link_invite.organization_id)
  WHERE role IN ('read', 'comment', 'edit', 'review') AND level IS NULL;
UPDATE collection SET default_level = (SELECT top FROM change WHERE change.id = collection.organization_id)
  WHERE parent_id IS NULL AND default_level = 'inherit';
UPDATE space SET default_level = (SELECT top FROM change WHERE change.id = space.organization_id)
  WHERE collection_id IS NULL AND default_level = 'inherit';

-- Who was given less than the default, on an item or on a level between it and the grant, is given there what they had.
INSERT INTO permission (target_kind, target_id, subject_kind, subject_id, role, created_at)
  SELECT item_grant.kind, item_grant.id, 'user', item_grant.user_id,
    (SELECT role FROM strength WHERE strength.held = max(item_grant.held, item_default.held)),
    strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
  FROM item_grant
  CROSS JOIN item_default ON item_default.kind = item_grant.kind AND item_default.id = item_grant.id
  WHERE EXISTS (
    SELECT 1 FROM item_level AS level
    JOIN item_default AS raised ON raised.kind = level.at_kind AND raised.id = level.at_id
    JOIN member ON member.organization_id = item_grant.organization_id AND member.user_id = item_grant.user_id
    WHERE level.kind = item_grant.kind AND level.id = item_grant.id AND level.depth <= item_grant.depth
      AND raised.held > max(
        item_grant.held, CASE member.role WHEN 'create' THEN 5 WHEN 'admin' THEN 6 ELSE 0 END))
  ON CONFLICT DO UPDATE SET role = excluded.role;

DROP TABLE temp.change;
DROP TABLE temp.item_grant;
DROP TABLE temp.item_default;
DROP TABLE temp.item_level;
DROP TABLE temp.strength;
