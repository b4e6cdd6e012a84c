package program

import "github.com/checkrein/checkrein/internal/shell"

// messagingPack knows message queues. Messages to people are judged with what
// leaves the machine.
var messagingPack = shell.RuleSet{
	Pack: shell.PackMessaging,
	Rules: []shell.Rule{
		{
			ID: "kafka-topic-delete", Cmd: "kafka-topics|kafka-topics.sh", Any: "--delete",
			Label: shell.Destructive, Kind: "delete", Category: shell.MsgDelete, Radius: shell.RadiusHigh, Reason: "deletes a topic with its messages",
			Match:   []string{"kafka-topics --bootstrap-server h:9092 --delete --topic orders", "kafka-topics.sh --delete --topic x --zookeeper z"},
			NoMatch: []string{"kafka-topics --list --bootstrap-server h", "kafka-topics --describe"},
		},
		{
			ID: "kafka-records-delete", Cmd: "kafka-delete-records|kafka-delete-records.sh|kafka-streams-application-reset|kafka-streams-application-reset.sh",
			Label: shell.Destructive, Kind: "delete", Category: shell.MsgDelete, Radius: shell.RadiusHigh, Reason: "deletes messages",
			Match:   []string{"kafka-delete-records --bootstrap-server h --offset-json-file o.json", "kafka-streams-application-reset.sh --application-id x"},
			NoMatch: []string{"kafka-topics --list", "kafka-streams-application-reset --dry-run --application-id x"},
		},
		{
			ID: "kafka-group", Cmd: "kafka-consumer-groups|kafka-consumer-groups.sh", Any: "--delete --delete-offsets --execute",
			Label: shell.Destructive, Kind: "delete", Category: shell.MsgDelete, Radius: shell.RadiusMedium, Reason: "deletes or moves where readers are",
			Match:   []string{"kafka-consumer-groups --bootstrap-server h --delete --group g", "kafka-consumer-groups.sh --reset-offsets --to-earliest --execute --group g --all-topics", "kafka-consumer-groups --delete-offsets --group g"},
			NoMatch: []string{"kafka-consumer-groups --list", "kafka-consumer-groups --reset-offsets --to-earliest --dry-run --group g", "kafka-consumer-groups --describe --group g"},
		},
		{
			ID: "kafka-acl", Cmd: "kafka-acls|kafka-acls.sh|kafka-configs|kafka-configs.sh", Any: "--remove --delete-config",
			Label: shell.Destructive, Kind: "modify", Category: shell.MsgDelete, Radius: shell.RadiusMedium, Reason: "takes rights or settings away",
			Match:   []string{"kafka-acls --remove --topic x", "kafka-configs --alter --delete-config retention.ms --topic x"},
			NoMatch: []string{"kafka-acls --list", "kafka-configs --describe"},
		},
		{
			ID: "kafka-retention", Cmd: "kafka-configs|kafka-configs.sh|kafka-topics|kafka-topics.sh", Any: "retention.ms=* retention.bytes=* --add-config=retention.* --add-config=*retention.* cleanup.policy=*",
			Label: shell.Destructive, Kind: "modify", Category: shell.MsgDelete, Radius: shell.RadiusHigh, Reason: "makes old messages go",
			Match:   []string{"kafka-configs --alter --entity-type topics --entity-name x --add-config retention.ms=1", "kafka-configs.sh --alter --add-config=retention.ms=1000 --topic x"},
			NoMatch: []string{"kafka-configs --describe", "kafka-configs --alter --add-config max.message.bytes=1"},
		},
		{
			ID: "kafka-change", Cmd: "kafka-topics|kafka-topics.sh|kafka-configs|kafka-configs.sh|kafka-acls|kafka-acls.sh|kafka-reassign-partitions|kafka-reassign-partitions.sh|kafka-leader-election|kafka-console-producer|kafka-console-producer.sh|kafka-server-stop|kafka-server-stop.sh|kafka-preferred-replica-election", Not: "--list --describe --version --verify --delete --create",
			Label: shell.Unknown, Kind: "modify", Category: shell.MsgChange, Radius: shell.RadiusMedium, Reason: "changes topics or sends messages",
			Match:   []string{"kafka-topics --alter --topic x --partitions 3", "kafka-console-producer --topic x --bootstrap-server h", "kafka-reassign-partitions --execute"},
			NoMatch: []string{"kafka-topics --list", "kafka-topics --describe --topic x"},
		},
		{
			ID: "kafka-storage", Cmd: "kafka-storage|kafka-storage.sh format",
			Label: shell.Destructive, Kind: "delete", Category: shell.MsgDelete, Radius: shell.RadiusHigh, Reason: "formats the storage of a broker",
			Match:   []string{"kafka-storage format -t x -c server.properties", "kafka-storage.sh format --cluster-id x -c y"},
			NoMatch: []string{"kafka-storage info -c x", "kafka-storage random-uuid"},
		},
		{
			ID: "kafka-read", Cmd: "kafka-topics|kafka-topics.sh|kafka-configs|kafka-configs.sh|kafka-acls|kafka-acls.sh|kafka-consumer-groups|kafka-consumer-groups.sh|kafka-broker-api-versions|kafka-broker-api-versions.sh|kafka-log-dirs|kafka-log-dirs.sh|kafka-get-offsets|kafka-console-consumer|kafka-console-consumer.sh|kafka-dump-log|kafka-dump-log.sh|kafka-metadata-quorum|kcat|kafkacat", Not: "--delete --alter --remove --execute --delete-offsets --add -P --reset-offsets",
			Label: shell.Safe, Kind: "run", Category: shell.MsgRead, Reason: "reads topics",
			Match:   []string{"kafka-topics --list --bootstrap-server h", "kafka-console-consumer --topic x --bootstrap-server h", "kcat -L -b h", "kafka-topics --create --topic t"},
			NoMatch: []string{"kafka-topics --delete --topic x", "kcat -P -b h -t x"},
		},
		{
			ID: "kcat-produce", Cmd: "kcat|kafkacat", Any: "-P",
			Label: shell.Unknown, Kind: "send", Category: shell.MsgChange, Radius: shell.RadiusMedium, Reason: "sends messages",
			Match:   []string{"kcat -P -b h -t x", "kafkacat -b h -t x -P"},
			NoMatch: []string{"kcat -L -b h"},
		},
		{
			ID: "kafka-cli-delete", Cmd: "confluent|rpk|kafkactl|kaf|aiven|cc|ccloud|redpanda", Any: "delete trim-prefix decommission seek remove reset-offset", Not: "list",
			Label: shell.Destructive, Kind: "delete", Category: shell.MsgDelete, Radius: shell.RadiusHigh, Reason: "deletes a part of a message cluster",
			Match:   []string{"confluent kafka topic delete x", "rpk topic delete orders", "kafkactl delete topic x", "confluent kafka cluster delete lkc-1", "rpk group delete g"},
			NoMatch: []string{"rpk topic list", "confluent kafka topic list", "kafkactl get topics"},
		},
		{
			ID: "kafka-cli-read", Cmd: "confluent|rpk|kafkactl|kaf", Any: "list describe get info consume status health topics version ls", Not: "delete produce create update alter trim-prefix decommission reset-offset",
			Label: shell.Safe, Kind: "run", Category: shell.MsgRead, Reason: "reads a message cluster",
			Match:   []string{"rpk topic list", "confluent kafka topic describe x", "kafkactl get topics", "rpk cluster info"},
			NoMatch: []string{"rpk topic delete x", "confluent kafka topic produce x"},
		},
		{
			ID: "rabbit-delete", Cmd: "rabbitmqctl delete_queue|delete_vhost|delete_user|purge_queue|reset|force_reset|forget_cluster_node|clear_permissions|clear_topic_permissions|clear_password|clear_policy|clear_operator_policy|clear_parameter|clear_global_parameter|clear_vhost_limits|close_all_connections|close_connection|close_all_user_connections|delete_member|delete_shovel|decommission_mqtt_node|clear_user_limits|force_boot",
			Label: shell.Destructive, Kind: "delete", Category: shell.MsgDelete, Radius: shell.RadiusHigh, Reason: "deletes or empties queues, users or a broker",
			Match:   []string{"rabbitmqctl delete_queue orders", "rabbitmqctl purge_queue x", "rabbitmqctl reset", "rabbitmqctl -n rabbit@h force_reset", "rabbitmqctl delete_vhost /"},
			NoMatch: []string{"rabbitmqctl list_queues", "rabbitmqctl status"},
		},
		{
			ID: "rabbit-stop", Cmd: "rabbitmqctl stop|stop_app|shutdown|hipe_compile|rotate_logs|remove_cluster_node",
			Label: shell.Destructive, Kind: "stop", Category: shell.SvcStop, Radius: shell.RadiusMedium, Reason: "stops a message broker",
			Match:   []string{"rabbitmqctl stop_app", "rabbitmqctl stop"},
			NoMatch: []string{"rabbitmqctl start_app", "rabbitmqctl status"},
		},
		{
			ID: "rabbit-change", Cmd: "rabbitmqctl|rabbitmq-plugins add_user|set_permissions|set_user_tags|change_password|set_policy|add_vhost|join_cluster|change_cluster_node_type|set_parameter|eval|sync_queue|enable|disable|set|authenticate_user|set_topic_permissions|import_definitions|rename_cluster_node|update_cluster_nodes|set_vm_memory_high_watermark|set_disk_free_limit",
			Label: shell.Unknown, Kind: "modify", Category: shell.MsgChange, Radius: shell.RadiusMedium, Reason: "changes a message broker",
			Match:   []string{"rabbitmqctl add_user a b", "rabbitmqctl set_permissions a", "rabbitmq-plugins disable x"},
			NoMatch: []string{"rabbitmqctl list_users"},
		},
		{
			ID: "rabbit-read", Cmd: "rabbitmqctl|rabbitmq-diagnostics|rabbitmq-plugins list_*|status|cluster_status|ping|environment|report|node_health_check|list|check_*|version|start_app|memory_breakdown|is_running|is_enabled|export_definitions|listeners|server_version|help|wait|consume_event_stream",
			Label: shell.Safe, Kind: "run", Category: shell.MsgRead, Reason: "reads a message broker",
			Match:   []string{"rabbitmqctl list_queues", "rabbitmqctl status", "rabbitmq-diagnostics ping"},
			NoMatch: []string{"rabbitmqctl reset", "rabbitmqctl delete_queue x"},
		},
		{
			ID: "rabbitadmin-delete", Cmd: "rabbitmqadmin|rabbitmqadmin.py", Any: "delete purge close",
			Label: shell.Destructive, Kind: "delete", Category: shell.MsgDelete, Radius: shell.RadiusHigh, Reason: "deletes or empties queues",
			Match:   []string{"rabbitmqadmin delete queue name=x", "rabbitmqadmin purge queue name=x"},
			NoMatch: []string{"rabbitmqadmin list queues", "rabbitmqadmin get queue=x"},
		},
		{
			ID: "rabbitadmin-change", Cmd: "rabbitmqadmin declare|publish|import|get",
			Label: shell.Unknown, Kind: "modify", Category: shell.MsgChange, Radius: shell.RadiusMedium, Reason: "changes queues or sends messages",
			Match:   []string{"rabbitmqadmin declare queue name=x", "rabbitmqadmin publish routing_key=x payload=y"},
			NoMatch: []string{"rabbitmqadmin list queues"},
		},
		{
			ID: "rabbitadmin-read", Cmd: "rabbitmqadmin list|show|export|help|overview|health_check",
			Label: shell.Safe, Kind: "read", Category: shell.MsgRead, Reason: "reads queues",
			Match:   []string{"rabbitmqadmin list queues", "rabbitmqadmin show overview"},
			NoMatch: []string{"rabbitmqadmin delete queue name=x"},
		},
		{
			ID: "nats-delete", Cmd: "nats stream|str|s|consumer|con|c|kv|object|obj|account|server|backup rm|purge|del|delete|rmm|rmmsg|restore|cluster|raft",
			Label: shell.Destructive, Kind: "delete", Category: shell.MsgDelete, Radius: shell.RadiusHigh, Reason: "deletes or empties streams",
			Match:   []string{"nats stream rm ORDERS -f", "nats stream purge ORDERS", "nats consumer rm A B", "nats kv del bucket key", "nats object rm b f"},
			NoMatch: []string{"nats stream ls", "nats kv get a b"},
		},
		{
			ID: "nats-read", Cmd: "nats stream|str|s|consumer|con|c|kv|object|obj|server|account|context|ctx ls|list|info|report|view|get|state|status|ping|check|watch|history|subjects|find|graph|show|next|add|create|ls|gaps|select|use",
			Label: shell.Safe, Kind: "run", Category: shell.MsgRead, Reason: "reads or makes streams",
			Match:   []string{"nats stream ls", "nats kv get a b", "nats server info"},
			NoMatch: []string{"nats stream rm x", "nats stream purge x"},
		},
		{
			ID: "nats-send", Cmd: "nats pub|publish|req|request|reply|kv|bench|edit|put", Not: "get ls list info watch history status del rm purge",
			Label: shell.Unknown, Kind: "send", Category: shell.MsgChange, Radius: shell.RadiusMedium, Reason: "sends messages",
			Match:   []string{"nats pub subj hello", "nats req a b"},
			NoMatch: []string{"nats sub x", "nats stream ls"},
		},
		{
			ID: "nats-listen", Cmd: "nats sub|subscribe|rtt|latency|events|traffic|schema|cheat",
			Label: shell.Safe, Kind: "run", Category: shell.MsgRead, Reason: "listens to messages",
			Match:   []string{"nats sub orders.>", "nats rtt"},
			NoMatch: []string{"nats pub a b"},
		},
		{
			ID: "nsc-delete", Cmd: "nsc delete|revocations",
			Label: shell.Destructive, Kind: "delete", Category: shell.MsgDelete, Radius: shell.RadiusHigh, Reason: "deletes accounts or their rights",
			Match:   []string{"nsc delete account A", "nsc delete user u"},
			NoMatch: []string{"nsc list accounts"},
		},
		{
			ID: "pulsar-delete", Cmd: "pulsar-admin", Any: "delete delete-partitioned-topic clear-backlog skip-all truncate terminate unload delete-bookie-affinity-group expire-messages expire-messages-all-subscriptions reset-cursor skip unsubscribe revoke-permission remove-*",
			Label: shell.Destructive, Kind: "delete", Category: shell.MsgDelete, Radius: shell.RadiusHigh, Reason: "deletes or empties topics, namespaces or tenants",
			Match:   []string{"pulsar-admin topics delete persistent://a/b/c", "pulsar-admin namespaces delete a/b", "pulsar-admin topics clear-backlog -s x y", "pulsar-admin tenants delete x"},
			NoMatch: []string{"pulsar-admin topics list a/b", "pulsar-admin tenants list"},
		},
		{
			ID: "pulsar-read", Cmd: "pulsar-admin * list|stats|get|stats-internal|permissions|policies|get-*|lookup|info|info-internal|healthcheck|list-partitioned-topics|partitioned-stats|subscriptions|peek-messages|last-message-id",
			Label: shell.Safe, Kind: "read", Category: shell.MsgRead, Reason: "reads topics",
			Match:   []string{"pulsar-admin topics list a/b", "pulsar-admin tenants list"},
			NoMatch: []string{"pulsar-admin topics delete x"},
		},
		{
			ID: "mqtt", Cmd: "mosquitto_pub|mqttx|mqtt|hivemq|amqp-publish|activemq|artemis|stomp|nsq_to_nsq|to_nsq|zmqc", Not: "sub subscribe",
			Label: shell.Unknown, Kind: "send", Category: shell.MsgChange, Radius: shell.RadiusMedium, Reason: "sends messages",
			Match:   []string{"mosquitto_pub -t a -m b", "amqp-publish -r x"},
			NoMatch: []string{"mosquitto_sub -t a", "mqtt sub -t a"},
		},
		{
			ID: "mqtt-listen", Cmd: "mosquitto_sub|nsq_tail|nsq_stat|mosquitto_rr",
			Label: shell.Safe, Kind: "run", Category: shell.MsgRead, Reason: "listens to messages",
			Match:   []string{"mosquitto_sub -t a", "nsq_tail --topic x"},
			NoMatch: []string{"mosquitto_pub -t a -m b"},
		},
		{
			ID: "artemis-delete", Cmd: "artemis|activemq|activemq-admin queue|address|purge|data|producer|user|mask delete|*|rm", Any: "delete purge rm",
			Label: shell.Destructive, Kind: "delete", Category: shell.MsgDelete, Radius: shell.RadiusHigh, Reason: "deletes or empties queues",
			Match:   []string{"artemis queue delete --name x", "activemq purge orders", "artemis address delete --name x"},
			NoMatch: []string{"artemis queue stat", "artemis queue create --name x"},
		},
		{
			ID: "mail-queue", Cmd: "postsuper|exim|exim4|postqueue|qmHandle|mailq", Any: "-d -Mrm -Mg",
			Label: shell.Destructive, Kind: "delete", Category: shell.MsgDelete, Radius: shell.RadiusHigh, Reason: "deletes mail that waits to be sent",
			Match:   []string{"postsuper -d ALL", "postsuper -d ALL deferred", "exim -Mrm 1x"},
			NoMatch: []string{"postqueue -p", "postsuper -r ALL", "mailq"},
		},
		{
			ID: "job-queue", Cmd: "sidekiqctl|celery|rq|dramatiq|huey|faktory-cli|bullmq|bull|arq|dkron|airflow|resque|delayed_job|flower|procrastinate|taskiq|chancy|temporal|tctl", Any: "purge empty shutdown reset delete terminate clean amqp.queue_delete revoke clear flush",
			Label: shell.Destructive, Kind: "delete", Category: shell.MsgDelete, Radius: shell.RadiusHigh, Reason: "empties a queue of jobs or deletes their history",
			Match:   []string{"celery -A app purge -f", "rq empty default", "celery -A app control shutdown", "airflow db reset -y", "airflow dags delete x", "temporal workflow delete -w x", "temporal operator namespace delete x"},
			NoMatch: []string{"celery -A app worker", "rq info", "airflow dags list", "temporal workflow list"},
		},
		{
			ID: "job-queue-read", Cmd: "celery|rq|airflow|temporal|dramatiq|huey|taskiq|flower|arq", Any: "worker beat inspect status report info list show events flower version graph describe state tasks-list start-dev check init webserver scheduler standalone migrate test *.tasks tasks dags task-list multi result workers", Not: "purge empty reset delete shutdown terminate clean revoke clear flush stop kill stopwait cancel signal trigger backfill pause unpause",
			Label: shell.Safe, Kind: "run", Category: shell.Run, Reason: "runs workers or looks at jobs",
			Match:   []string{"celery -A app worker -l info", "rq info", "rq worker", "airflow dags list", "celery -A app inspect active", "temporal server start-dev", "temporal workflow list"},
			NoMatch: []string{"celery -A app purge", "rq empty x", "airflow db reset"},
		},
		// Mail.
		{
			ID: "mail-delete", Cmd: "exim|exim4|doveadm|dovecot|qmHandle|qmail-remove|mailcow|zmprov|zmmailbox|zmsoap|cyradm|imapsync|mbsync|offlineimap|sendmail-cf|opensmtpd|smtpctl|mmdelete|list_members|remove_members|rmlist", Any: "-Mrm -Mg expunge purge delete remove deleteAccount da deleteMailbox emptyFolder deleteDomain --delete1 --delete2 --expunge --delete force-resync --expunge2 wipe deletemailbox",
			Label: shell.Destructive, Kind: "delete", Category: shell.MsgDelete, Radius: shell.RadiusHigh, Reason: "deletes mail or who gets it",
			Match:   []string{"exim -Mrm 1abc-x-y", "doveadm expunge -u bob mailbox INBOX all", "doveadm mailbox delete -u bob Archive", "doveadm purge -A", "zmprov deleteAccount a@b.c", "smtpctl remove all"},
			NoMatch: []string{"exim -bp", "doveadm -D mailbox list -u bob"},
		},
		{
			ID: "mail-read", Cmd: "exim|exim4|postqueue|mailq|doveadm|exiqgrep|exiqsumm|exigrep|postconf|qshape|smtpctl|zmprov|zmcontrol|doveconf|postmap|postcat", Any: "-bp -p -bpc list status search log who user fetch -bt -bP -j -i -n -d -c show gaa ga stats -q -bV quota mailq", Not: "-Mrm -Mg expunge delete purge remove -f -s kick move deliver -e -r --delete create",
			Label: shell.Safe, Kind: "run", Category: shell.MsgRead, Reason: "looks at mail or its queue",
			Match:   []string{"exim -bp", "postqueue -p", "doveadm mailbox list -u bob"},
			NoMatch: []string{"exim -Mrm x", "doveadm expunge -u b all", "postqueue -f"},
		},
		{
			ID: "mail-flush", Cmd: "postqueue|exim|exim4|smtpctl|sendmail", Any: "-f -s -i -qff -qf -M -Mf -Mt schedule pause resume",
			Label: shell.Unknown, Kind: "send", Category: shell.MsgSend, Radius: shell.RadiusMedium, Reason: "has waiting mail sent or held back",
			Match:   []string{"postqueue -f", "exim -M 1abc"},
			NoMatch: []string{"postqueue -p", "exim -bp"},
		},
	},
}
