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
