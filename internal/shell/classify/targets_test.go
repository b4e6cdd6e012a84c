package classify

import (
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

// localTests are commands that lose something that is local and named as a test.
const localTests = `
dropdb shop_test
dropdb -h localhost test_shop1
psql -h localhost -d shop_test -c 'TRUNCATE orders'
psql -h /var/run/postgresql shop_test -c 'drop table public.orders'
psql postgres://me:x@localhost:5432/shop_test -c 'drop table orders'
psql "host=127.0.0.1 dbname=shop_test" -c 'drop table orders'
PGDATABASE=shop_test psql -c 'drop schema public cascade'
export PGDATABASE=shop_dev; psql -c 'drop schema public cascade'
mysql -h 127.0.0.1 app_test -e 'drop table x'
mysql -h127.0.0.1 -uroot shopTest -e 'delete from x'
redis-cli -n 15 flushdb
redis-cli -h localhost -n 1 FLUSHDB
RAILS_ENV=test bin/rails db:drop db:create
RAILS_ENV=test bundle exec rails db:reset
env RAILS_ENV=test rails db:schema:load
bin/rails db:drop RAILS_ENV=test
export RAILS_ENV=test && bin/rails db:drop
DATABASE_URL=postgres://localhost/shop_test RAILS_ENV=test bin/rails db:drop
NODE_ENV=test npx prisma migrate reset --force
npx knex migrate:rollback --all --env test
php artisan migrate:fresh --env=testing
bin/console doctrine:database:drop --force --env=test
docker compose -f docker-compose.test.yml down -v
docker compose -p app-test down -v
docker-compose -p app_ci down --volumes
COMPOSE_PROJECT_NAME=app-test docker compose down -v
docker --context default compose -p app-test down -v
docker volume rm shop-test_data
docker rm -fv test-db
docker exec shop-test-db psql -U postgres -c 'drop table x'
docker compose exec db psql -U postgres -d shop_test -c 'drop table x'
docker compose exec app psql -h db -d shop_test -c 'drop table x'
kind delete cluster --name dev-test
k3d cluster delete dev
minikube delete -p dev
kubectl --context kind-shop delete pod x
kubectl --context kind-shop delete ns shop
kubectl --context minikube delete pvc --all
kubectl -n dev delete pod x
helm --kube-context docker-desktop uninstall app
helm uninstall app -n sandbox
mongosh shop_test --eval 'db.dropDatabase()'
mysql -e 'DROP DATABASE IF EXISTS forum_test'
mysql -h 127.0.0.1 -uroot -e 'DROP DATABASE IF EXISTS forum_test; CREATE DATABASE forum_test'
mariadb -e 'DROP DATABASE IF EXISTS forum_test'
mysql -e 'TRUNCATE TABLE forum_test.posts'
mysql <<< 'drop database forum_test'
mysqladmin -f drop forum_test
psql -h localhost -U postgres -c 'DROP DATABASE IF EXISTS forum_test'
psql -d postgres -c 'DROP DATABASE "forum_test" WITH (FORCE)' -c 'CREATE DATABASE forum_test'
psql -d postgres -c 'select pg_terminate_backend(pid) from pg_stat_activity; drop database forum_test'
clickhouse-client -q 'DROP DATABASE IF EXISTS forum_test'
clickhouse-client --host localhost --query 'TRUNCATE TABLE events_test.hits'
sqlcmd -S localhost -Q 'DROP DATABASE shop_test'
cqlsh localhost -e 'DROP KEYSPACE shop_test'
cockroach sql --insecure --host localhost -e 'DROP DATABASE shop_test'
MIX_ENV=test mix ecto.reset
MIX_ENV=test mix do ecto.drop, ecto.create
python manage.py flush --settings=shop.settings.test --no-input
python3 backend/manage.py flush --noinput --settings shop.settings.test
APP_ENV=testing php artisan migrate:fresh
php bin/console doctrine:schema:drop --force --env=test
symfony console doctrine:database:drop --force --env=test
DATABASE_URL=postgres://localhost/shop_test alembic downgrade base
DATABASE_URL=postgres://localhost/shop_test sqlx database reset -y
sqlx database drop -y -D postgres://localhost/shop_test
cargo sqlx database drop -y -D postgres://localhost/shop_test
diesel database reset --database-url postgres://localhost/shop_test
DATABASE_URL=postgres://localhost/shop_test npx prisma migrate reset --force
dbmate --url postgres://localhost/shop_test?sslmode=disable drop
goose postgres "host=localhost dbname=shop_test" reset
GOOSE_DRIVER=postgres GOOSE_DBSTRING=postgres://localhost/shop_test goose reset
goose -dir migrations postgres postgres://localhost/shop_test down-to 0
migrate -path db -database postgres://localhost/shop_test drop -f
flyway -url=jdbc:postgresql://localhost:5432/shop_test clean
atlas schema clean -u postgres://localhost/shop_test --auto-approve
curl -X DELETE http://localhost:9200/test-products
curl -XDELETE localhost:9200/products_test
curl -s -X DELETE 'http://127.0.0.1:9200/test-*'
curl -X POST http://localhost:9200/test-products/_delete_by_query -d '{"query":{"match_all":{}}}'
kafka-topics --bootstrap-server localhost:9092 --delete --topic test-events
kafka-topics.sh --delete --bootstrap-server localhost:9092 --topic test-events
rabbitmqadmin delete queue name=test-jobs
rabbitmqctl purge_queue test-jobs
aws --endpoint-url http://localhost:4566 s3 rb s3://uploads --force
aws --endpoint-url=http://localhost:4566 s3 rm s3://uploads --recursive
AWS_ENDPOINT_URL=http://localhost:4566 aws dynamodb delete-table --table-name orders
awslocal s3 rb s3://uploads --force
mc rb --force local/uploads
supabase db reset --local
wrangler d1 execute shop --local --command 'DROP TABLE orders'
wrangler r2 object delete bucket/key --local
`

// keptTests are commands that lose something that is not local, or not certainly a test.
const keptTests = `
dropdb shop
dropdb -h db.example.com shop_test
dropdb latest
dropdb contest
dropdb prod_test
dropdb "$DB"
dropdb "${DB}_test"
dropdb shop_test -h "$H"
PGHOST=db.example.com dropdb shop_test
export PGHOST=10.2.3.4; dropdb shop_test
PGSERVICE=main dropdb shop_test
psql -h localhost -d shop -c 'TRUNCATE orders'
psql -h localhost -d shop_test -c 'DROP DATABASE shop'
psql -h localhost -d shop_test -c '\c shop' -c 'drop table orders'
psql -d shop_test <<< '\connect shop
drop table orders'
psql postgres://me:x@db.example.com/shop_test -c 'drop table orders'
psql "postgres://localhost/shop_test?host=db.example.com" -c 'drop table orders'
psql "host=db.example.com dbname=shop_test" -c 'drop table orders'
psql "service=shop dbname=shop_test" -c 'drop table orders'
psql -d shop $X -c 'drop table orders_test'
mysql -h 127.0.0.1 app_test -e 'drop table shop.x'
mysql -h 127.0.0.1 app_test -e 'use shop; drop table x'
mysql -h 127.0.0.1 app_test -e 'drop database shop'
redis-cli flushdb
redis-cli -n 0 flushdb
redis-cli -n 15 flushall
redis-cli -h cache.example.com -n 15 flushdb
redis-cli -n "$N" flushdb
bin/rails db:drop
RAILS_ENV=production bin/rails db:drop
RAILS_ENV=test; bin/rails db:drop
RAILS_ENV=test bin/rails db:drop:all
RAILS_ENV="$E" bin/rails db:drop
DATABASE_URL=postgres://db.example.com/shop_test RAILS_ENV=test bin/rails db:drop
DATABASE_URL=postgres://localhost/shop RAILS_ENV=test bin/rails db:drop
export DATABASE_URL=postgres://db.example.com/x; NODE_ENV=test npx prisma migrate reset
if x; then export RAILS_ENV=production; else export RAILS_ENV=test; fi; bin/rails db:drop
DATABASE_URL=postgres://db.example.com/x NODE_ENV=test npx prisma migrate reset
docker compose down -v
docker compose -f docker-compose.yml down -v
docker compose -f docker-compose.yml -f docker-compose.test.yml down -v
docker compose -p shop -f docker-compose.test.yml down -v
docker compose -p prod-test down -v
docker -H tcp://10.0.0.3:2375 compose -p app-test down -v
docker --context staging compose -p app-test down -v
DOCKER_HOST=ssh://build docker compose -p app-test down -v
docker volume rm shop_data
docker volume rm shop-test_data shop_data
docker exec shop-db psql -U postgres -c 'drop table x'
docker -H ssh://me@far exec shop-test-db psql -U postgres -c 'drop table x'
ssh test-server dropdb shop_test
ssh test-server docker exec shop-test-db psql -U postgres -c 'drop table x'
kind delete cluster
kind delete clusters --all --name dev
minikube delete
minikube delete --all -p dev
kubectl delete pod x
kubectl --context gke_acme delete pod x
kubectl -n prod delete pod x
kubectl --context kind-shop -n prod delete pod x
kubectl -n dev delete ns shop
kubectl -n dev delete pod x -A
helm uninstall app -n shop
mongosh db.example.com/shop_test --eval 'db.dropDatabase()'
mongosh shop_test --eval 'db.getSiblingDB("shop").dropDatabase()'
mysql -e 'DROP DATABASE forum'
mysql -h db.example.com -e 'DROP DATABASE forum_test'
mysql -e 'DROP DATABASE forum_test; DROP DATABASE forum'
mysql -e 'DROP DATABASE forum_test; use forum; DROP TABLE posts'
mysql -D forum_test -e 'DROP DATABASE forum'
mysql -e 'TRUNCATE TABLE forum_test.posts; TRUNCATE posts'
mysql -e 'DROP TABLE forum_test.posts, forum.posts'
mysql -e "DROP DATABASE ${DB}_test"
mysql forum < drop.sql
mysqladmin -f drop forum
mysqladmin drop forum_test drop forum
psql -d shop -c 'TRUNCATE events_test.hits'
psql -d shop -c 'DROP SCHEMA shop_test CASCADE'
psql -d shop -c 'DROP DATABASE shop_test' -c '\c shop'
psql -d shop -f all.sql -c 'DROP DATABASE shop_test'
psql "service=shop" -c 'DROP DATABASE shop_test'
clickhouse-client -q 'DROP DATABASE default'
clickhouse-client --host ch.example.com -q 'DROP DATABASE shop_test'
cqlsh cassandra.example.com -e 'DROP KEYSPACE shop_test'
mix ecto.reset
MIX_ENV=prod mix ecto.reset
MIX_ENV=test DATABASE_URL=postgres://db.example.com/shop_test mix ecto.drop
python manage.py flush
python manage.py flush --settings=shop.settings.production
APP_ENV=staging php artisan migrate:fresh
alembic downgrade base
DATABASE_URL=postgres://db.example.com/shop_test alembic downgrade base
DATABASE_URL=postgres://localhost/shop alembic downgrade base
sqlx database drop -y -D postgres://db.example.com/shop_test
sqlx database drop -y -D "$URL"
diesel database reset --database-url postgres://localhost/shop
dbmate --url postgres://db.example.com/shop_test drop
dbmate -e PRIMARY_URL --url postgres://localhost/shop_test drop
goose postgres "host=db.example.com dbname=shop_test" reset
goose mysql "root@tcp(db.example.com:3306)/shop_test" reset
migrate -path db -database postgres://localhost/shop drop -f
flyway -url=jdbc:postgresql://db.example.com:5432/shop_test clean
curl -X DELETE http://localhost:9200/products
curl -X DELETE http://localhost:9200/test-products,products
curl -X DELETE http://localhost:9200/_all
curl -X DELETE http://localhost:9200/default
curl -X DELETE http://es.example.com:9200/test-products
curl -X DELETE http://localhost:9200/test/%2e%2e/products
curl -X DELETE -x proxy.example.com:80 http://localhost:9200/test-products
curl -X DELETE --connect-to localhost:9200:es.example.com:9200 http://localhost:9200/test-products
docker exec shop-test curl -X DELETE http://es:9200/products
docker exec shop-test aws s3 rb s3://uploads --force
kafka-topics --bootstrap-server kafka.example.com:9092 --delete --topic test-events
kafka-topics --bootstrap-server localhost:9092,kafka.example.com:9092 --delete --topic test-events
kafka-topics --bootstrap-server localhost:9092 --delete --topic 'test-events|orders'
kafka-topics --bootstrap-server localhost:9092 --delete --topic orders
rabbitmqadmin delete queue name=jobs
rabbitmqadmin -H mq.example.com delete queue name=test-jobs
rabbitmqctl -n rabbit@mq.example.com purge_queue test-jobs
aws s3 rb s3://uploads-test --force
aws --endpoint-url https://s3.test.example.com s3 rb s3://uploads --force
aws --endpoint-url http://localhost:4566 s3 rb s3://uploads-prod --force
AWS_ENDPOINT_URL=http://localhost:4566 aws --endpoint-url https://s3.example.com s3 rb s3://uploads --force
mc rb --force minio/uploads
mc rb --force local/uploads minio/uploads
supabase db reset --linked
supabase db reset --local --linked
wrangler d1 execute shop --remote --command 'DROP TABLE orders'
wrangler d1 execute shop --local --remote --command 'DROP TABLE orders'
`

// TestTestTargets checks that losses in something local that is named as a test have a low impact, and
// all others do not.
func TestTestTargets(t *testing.T) {
	where := shell.Place{Dir: "/home/jo/app", Root: "/home/jo/app", Home: "/home/jo"}
	for _, set := range [...]struct {
		rows string
		low  bool
	}{{localTests, true}, {keptTests, false}} {
		for row := range strings.SplitSeq(joinStatements(set.rows), "\n") {
			if row == "" {
				continue
			}
			r := Command(strings.ReplaceAll(row, "\x00", "\n"), where)
			low := r.Label == shell.Destructive && r.Impact == shell.ImpactLow
			if low != set.low || r.Label < shell.Destructive && !strings.Contains(row, "$") {
				t.Errorf("%s\n\tgot %s %s (%s: %s), want low: %v", row, r.Label, r.Impact, r.Category, r.Reason, set.low)
			}
		}
	}
}

// joinStatements returns rows with a NUL for each newline within quotes.
func joinStatements(rows string) string {
	var b strings.Builder
	quoted := false
	for _, c := range rows {
		if c == '\'' {
			quoted = !quoted
		}
		if c == '\n' && quoted {
			c = 0
		}
		b.WriteRune(c)
	}
	return b.String()
}

// TestSessionVariablesTighten checks that variables of the session keep the question, and never lift it.
func TestSessionVariablesTighten(t *testing.T) {
	for _, x := range [...]struct {
		command, name, value string
		low                  bool
	}{
		{"dropdb shop_test", "PGHOST", "", true},
		{"dropdb shop_test", "PGHOST", "db.example.com", false},
		{"dropdb shop_test", "PGHOST", "localhost", true},
		{"docker compose -p app-test down -v", "DOCKER_HOST", "tcp://10.1.1.1:2375", false},
		{"bin/rails db:drop", "RAILS_ENV", "test", false},
		{"RAILS_ENV=test bin/rails db:drop", "DATABASE_URL", "postgres://localhost/shop", false},
		{"RAILS_ENV=test bin/rails db:drop", "DATABASE_URL", "postgres://far.example/shop_test", false},
	} {
		where := shell.Place{Dir: "/home/jo/app", Root: "/home/jo/app", Home: "/home/jo", Getenv: func(name string) string {
			if name == x.name {
				return x.value
			}
			return ""
		}}
		if r := Command(x.command, where); (r.Impact == shell.ImpactLow) != x.low {
			t.Errorf("%s with %s=%s: got %s, want low: %v", x.command, x.name, x.value, r.Impact, x.low)
		}
	}
}
