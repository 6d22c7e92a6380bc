-- The tables of version 1, with three records: what a database made by that version holds.
CREATE SCHEMA version_1;
SET search_path TO version_1;
CREATE TABLE versions(version bigint PRIMARY KEY, made timestamptz NOT NULL DEFAULT now());
INSERT INTO versions(version) VALUES (1);
CREATE TABLE head(one bigint PRIMARY KEY CHECK (one = 1), next bigint NOT NULL, time bigint NOT NULL, segment bigint NOT NULL,
                  segment_first bigint NOT NULL, segment_time bigint NOT NULL) WITH (fillfactor = 10);
INSERT INTO head VALUES (1, 1, 0, 0, 0, 0);
CREATE TABLE segments(number bigint PRIMARY KEY, first bigint NOT NULL, first_time bigint NOT NULL);
CREATE TABLE records(segment bigint NOT NULL, sequence bigint NOT NULL, kind bigint NOT NULL, loop bigint NOT NULL, time bigint NOT NULL,
                     target bigint NOT NULL, payload bytea NOT NULL, PRIMARY KEY (sequence, segment)) PARTITION BY LIST (segment);
CREATE TABLE names(segment bigint NOT NULL, name bytea NOT NULL, loop bigint NOT NULL, sequence bigint NOT NULL,
                   PRIMARY KEY (name, loop, segment)) PARTITION BY LIST (segment);
CREATE TABLE keys(segment bigint NOT NULL, event bigint NOT NULL, key bytea NOT NULL,
                  PRIMARY KEY (event, key, segment)) PARTITION BY LIST (segment);
CREATE TABLE appenders(name bigint PRIMARY KEY, batch bigint NOT NULL, time bigint NOT NULL) WITH (fillfactor = 50);
CREATE TABLE checkpoints(loop bigint PRIMARY KEY, position bigint NOT NULL, bytes bytea NOT NULL);
CREATE TABLE models(loop bigint, version bigint, position bigint NOT NULL, time bigint NOT NULL, sha256 bytea NOT NULL,
                    note bytea NOT NULL, bytes bytea NOT NULL, PRIMARY KEY (loop, version));
CREATE TABLE settings(key bytea PRIMARY KEY, value bytea NOT NULL);
CREATE TABLE leases(name bytea PRIMARY KEY, owner bytea NOT NULL, until bigint NOT NULL);
CREATE TABLE records_1 PARTITION OF records FOR VALUES IN (1);
CREATE TABLE names_1 PARTITION OF names FOR VALUES IN (1);
CREATE TABLE keys_1 PARTITION OF keys FOR VALUES IN (1);
INSERT INTO segments VALUES (1, 1, 1000);
INSERT INTO records VALUES (1, 1, 1, 1, 1000, 0, 'one'), (1, 2, 1, 1, 1000, 0, 'two'), (1, 3, 2, 1, 2000, 1, 'reward');
INSERT INTO names VALUES (1, 'old', 1, 1);
INSERT INTO keys VALUES (1, 1, 'k');
UPDATE head SET next = 4, time = 2000, segment = 1, segment_first = 1, segment_time = 1000;
INSERT INTO checkpoints VALUES (1, 3, 'checkpoint');
INSERT INTO models VALUES (1, 1, 3, 2000, 'sha', '{}', 'model');
INSERT INTO settings VALUES ('secret', 's');
